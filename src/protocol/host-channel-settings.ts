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
  },
  closed,
);
export type HostedSettings = Static<typeof HostedSettingsSchema>;
