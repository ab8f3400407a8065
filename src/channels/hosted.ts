/**
 * The channel `hosted`: a page of the service itself. What is published travels in the outcome of the delivery.
 */
import { Type } from '@sinclair/typebox';
import type { Channel, Note } from './channel.ts';

export const hosted: Channel = {
  name: 'hosted',
  isPublic: true,
  canLookUp: true,
  settings: Type.Object({}),
  secrets: [],
  render: ({ version, bodyMd, date }: Note) => ({ version, bodyMd, date }),
  deliver: async () => ({ url: null, reference: null }),
  test: async () => 'Nothing is sent anywhere.',
};
