/**
 * `tidings publish DRAFT_ID --channel CHANNEL`: publishes a draft as the API does, and reports the result. If the
 * publication has not ended after a few seconds, the command ends and the service continues the publication.
 */
import { type ApiContext, partitionOfId, readPartition } from '../api/context.ts';
import { checkPublish, publish } from '../api/publish.ts';
import { describeWarning } from '../foundation/conflicts.ts';
import { notFound } from '../foundation/errors.ts';
import { slotOfId } from '../foundation/ids.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { channelNames } from '../protocol/channels.ts';
import type { PublicationWarning } from '../protocol/conflicts.ts';
import type { PublishBody } from '../protocol/resources/publications.ts';
import { readDraft } from '../store/tables/drafts.ts';
import { withService } from './connection.ts';
import { printLines } from './print.ts';
import { type CliCommand, single } from './usage.ts';

/** The part of the reply that is printed. */
interface PublishReply {
  id: string;
  status: string;
  url: string | null;
  error: string | null;
  warnings: PublicationWarning[];
}

export const publishCommand: CliCommand = single({
  arguments: 'DRAFT_ID',
  help: 'Publishes a draft on a channel and reports the result',
  options: {
    channel: { value: 'CHANNEL', required: true, help: `One of ${channelNames.join(', ')}` },
    draft: { help: 'Creates a draft release on the host' },
    strict: { help: 'Refuses a draft that has conflicts' },
  },
  examples: ['publish draft_0000000000000000000000000000 --channel hosted'],
  run: ({ channel, draft = false, strict = false }, [draftId = '']) =>
    withService((context) => publishDraft(context, checkPublish({ draftId, channel, draft, strict }))),
});

async function publishDraft(
  context: ApiContext,
  { draftId, channel, draft: asDraft = false, strict = false }: PublishBody,
): Promise<number> {
  const name = slotOfId(draftId, 'draft') === undefined ? undefined : partitionOfId(context, draftId);
  const partition = name === undefined ? undefined : readPartition(context, name);
  const draft = partition && readDraft(partition, draftId);
  if (!partition || !draft) throw notFound('Draft', draftId);
  const asked = { context, directory: readPartition(context, directoryName), once: undefined };
  const { body } = await publish(asked, partition, draft, { channel, asDraft, strict });
  return report(body as PublishReply);
}

function report({ id, status, url, error, warnings }: PublishReply): number {
  const more =
    status === 'processing' ? `The publication continues in the service: see GET /api/publications/${id}.` : error;
  printLines([`${id}  ${status}${url === null ? '' : `  ${url}`}`, ...(more ? [more] : []), ...warnings.map(toLine)]);
  return status === 'failed' ? 1 : 0;
}

function toLine(warning: PublicationWarning): string {
  return `Warning: ${describeWarning(warning)}${warning.kind === 'conflict' ? `: ${warning.text}` : ''}`;
}
