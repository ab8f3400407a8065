/**
 * Settings of the channels that publish on the source-code host and on the pages of this service. These settings are
 * not secret. For the host, the service uses its own credentials. The key of an unlisted page is part of every link to
 * the page.
 */
import { type Static, Type } from '@sinclair/typebox';

const closed = { additionalProperties: false } as const;

export const ReleasesSettingsSchema = Type.Object({}, closed);
export type ReleasesSettings = Static<typeof ReleasesSettingsSchema>;

export const FileSettingsSchema = Type.Object(
  {
    path: Type.Optional(
      Type.String({
        maxLength: 200,
        pattern:
          '^(?!\\.git/)(?:(?!\\.{1,2}/)[^/\\\\\\u0000-\\u001f]+/)*[^/\\\\\\u0000-\\u001f]+\\.(?:md|mdx|markdown)$',
        description:
          'path of the Markdown file in the repository; by default CHANGELOG.md or RELEASES.md, depending on the channel',
      }),
    ),
    branch: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'branch that receives the commit; by default, the default branch of the repository',
      }),
    ),
    message: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '^[^\\u0000-\\u001f]+$',
        description: 'commit message; {version} is replaced by the version, {file} by the path of the file',
      }),
    ),
    via: Type.Optional(
      Type.Union([Type.Literal('push'), Type.Literal('pull_request')], {
        description:
          '`push`: commit to the branch, and open a pull request only if the branch is protected; `pull_request`: always open a pull request; by default `push`',
      }),
    ),
  },
  closed,
);
export type FileSettings = Static<typeof FileSettingsSchema>;

const label = '[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*';
const hostName = `${label}(?:\\.${label})*`;

/** Forms of settings of pages. `words` describes the form in messages about refused values. */
export const pageForms = {
  accent: { pattern: '^#(?:[0-9A-Fa-f]{3}){1,2}$', words: 'a color such as #0b57b7' },
  logo: {
    pattern: '^data:image/(?:png|jpeg|gif|webp);base64,(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
    words: 'a data URI of a PNG, JPEG, GIF or WebP picture of at most 32 KB, such as data:image/png;base64,…',
  },
  /** A local address over http is allowed for trying. Such an address is only reachable on the reader's own machine. */
  origin: {
    pattern: `^(?:\\*|https://${hostName}(?::[0-9]{1,5})?|http://(?:localhost|127\\.0\\.0\\.1)(?::[0-9]{1,5})?)$`,
    words: 'an origin such as https://docs.example.com without a path, or *',
  },
} as const;

export const HostedSettingsSchema = Type.Object(
  {
    visibility: Type.Optional(
      Type.Union([Type.Literal('public'), Type.Literal('unlisted'), Type.Literal('off')], {
        description: 'who may read the pages; by default `public` for public repositories and `off` for private ones',
      }),
    ),
    key: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{16,128}$',
        description: 'value of `?key=…` in the address of unlisted pages; anyone with the address can read the pages',
      }),
    ),
    title: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        pattern: '^[^\\u0000-\\u001f]+$',
        description: 'name that is shown at the top of the pages',
      }),
    ),
    language: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$',
        description: 'language of the notes, such as en',
      }),
    ),
    accent: Type.Optional(
      Type.String({
        pattern: pageForms.accent.pattern,
        description: 'color of links and marks on the pages; its shade is adjusted where it could not be read',
      }),
    ),
    logo: Type.Optional(
      Type.String({
        maxLength: 43_800,
        pattern: pageForms.logo.pattern,
        description: 'picture beside the title, of at most 32 KB and 1024 × 1024 pixels, as a data URI',
      }),
    ),
    logoAlt: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        pattern: '^[^\\u0000-\\u001f]+$',
        description: 'text in place of the logo; leave it out if the logo only repeats the title',
      }),
    ),
    embedIn: Type.Optional(
      Type.Array(Type.String({ maxLength: 300, pattern: pageForms.origin.pattern }), {
        maxItems: 20,
        uniqueItems: true,
        description:
          'origins of the web pages that may show the newest notes in a frame, such as https://docs.example.com; `*` alone allows all; by default none',
      }),
    ),
  },
  closed,
);
export type HostedSettings = Static<typeof HostedSettingsSchema>;
