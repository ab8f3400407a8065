/**
 * Lists the invented people of the sample repository and how the host shows them. Their addresses use reserved example
 * domains only.
 */

import type { Milestone } from './change.ts';

export type Person = {
  login: string;
  name: string;
  id: number;
  /** Time zone of the person's commits, in minutes east of UTC. */
  offsetMinutes: number;
  isBot: boolean;
};

function person(id: number, login: string, name: string, offsetMinutes: number): Person {
  return { id, login, name, offsetMinutes, isBot: false };
}

export const bot: Person = { ...person(88120, 'harbourmaster[bot]', 'harbourmaster[bot]', 0), isBot: true };

export const maintainers = [
  person(201877, 'mara-lindqvist', 'Mara Lindqvist', 60),
  person(345120, 'tomasz-bielak', 'Tomasz Bielak', 60),
  person(410233, 'ines-carvalho', 'Inês Carvalho', 0),
  person(587401, 'dele-oduya', 'Dele Oduya', 60),
  person(610094, 'kaito-mori', 'Kaito Mori', 540),
];

export const regulars = [
  person(1100482, 'freya-halden', 'Freya Halden', 60),
  person(1288310, 'priya-raman', 'Priya Raman', 330),
  person(1345521, 'lucien-dv', 'Lucien de Vos', 60),
  person(1402998, 'quietpixel', 'Sam Okafor', 0),
  person(1571604, 'annika-r', 'Annika Rautio', 120),
  person(1620047, 'bmoreau', 'Benoît Moreau', 60),
  person(1733395, 'grainandgrey', 'Hana Dvořák', 60),
  person(1820116, 'joao-teles', 'João Teles', -180),
];

/** For each release, the people whose first pull request is in this release. */
export const newcomers: Record<Milestone, Person[]> = {
  'v1.0.0': [],
  'v1.1.0': [person(2010557, 'wren-ashby', 'Wren Ashby', 0), person(2044130, 'mikkel-s', 'Mikkel Sand', 60)],
  'v1.2.0': [person(2107719, 'old-darkroom', 'Peter Vanek', 60), person(2150083, 'nadia-h', 'Nadia Haddad', 120)],
  'v1.3.0': [
    person(2231964, 'tuulikki', 'Tuuli Kivelä', 120),
    person(2240671, 'cjbrandt', 'Carla Brandt', 60),
    person(2298405, 'raw-and-ready', 'Diego Fuentes', -180),
  ],
  'v2.0.0': [
    person(2310028, 'sofia-lund', 'Sofia Lund', 60),
    person(2345516, 'emre-aksoy', 'Emre Aksoy', 180),
    person(2391740, 'the-archivist', 'Ruth Calloway', -300),
    person(2402133, 'yusuf-k', 'Yusuf Karim', 240),
  ],
  next: [],
};

export const reporters = [
  person(3100021, 'gardenpath', 'Elsie Marsh', 0),
  person(3123877, 'holger-w', 'Holger Wendt', 60),
  person(3150406, 'club-camera', 'Camera Club Nine', 0),
  person(3188932, 'mnovotna', 'Martina Novotná', 60),
  person(3204415, 'trainrider', 'Oskar Lind', 60),
  person(3260078, 'familyof6', 'Beth Ferris', -360),
  person(3277841, 'nas-in-the-attic', 'Koen Smit', 60),
  person(3301159, 'lightleak', 'Ayumi Sato', 540),
  person(3345520, 'phototeacher', 'Greta Olsen', 60),
];

/** Returns the email address that a person uses in commits. */
export function emailOf(who: Person): string {
  return `${who.login.replace(/[^a-z0-9-]/g, '.').replace(/\.+$/, '')}@example.com`;
}

/**
 * Returns a co-author trailer with the person's forwarding address on the host. This address contains the person's
 * handle.
 */
export function coAuthorTrailer(who: Person): string {
  return `Co-authored-by: ${who.name} <${who.id}+${who.login}@users.noreply.git.example>`;
}
