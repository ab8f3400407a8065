/**
 * Simulates the workflow of an office chat on loopback. It accepts cards of at most 28 KiB that contain only known
 * fields, and answers 202.
 */
import type { TestContext } from 'node:test';
import { jsonBody, type Ruled, startRuled, unknownFields } from './ruled.ts';

export interface OfficeChat extends Ruled {
  webhookUrl: string;
  /** Texts of each received card, in display order. */
  cards: string[][];
}

type Fields = Record<string, unknown>;
const largestBody = 28 * 1024;
const blockFields = ['type', 'text', 'wrap', 'size', 'weight', 'fontType', 'spacing'];
const values: Record<string, readonly unknown[]> = {
  type: ['TextBlock'],
  wrap: [true],
  size: ['Small', 'Default', 'Medium', 'Large', 'ExtraLarge'],
  weight: ['Lighter', 'Default', 'Bolder'],
  fontType: ['Default', 'Monospace'],
  spacing: ['None', 'Small', 'Default', 'Medium', 'Large'],
};

/** @param host address on which it listens; loopback by default */
export async function startOfficeChat(t: TestContext, host?: string): Promise<OfficeChat> {
  const cards: string[][] = [];
  const ruled = await startRuled(
    t,
    (request) => {
      if (Buffer.byteLength(request.body) > largestBody)
        return { status: 413, body: { error: { code: 'RequestEntityTooLarge' } } };
      const texts = textsOf(jsonBody(request));
      if (request.method !== 'POST' || !texts) return { status: 400, body: { error: { code: 'InvalidCard' } } };
      cards.push(texts);
      return { status: 202 };
    },
    host,
  );
  return { ...ruled, webhookUrl: `${ruled.receiver.url}/workflows/1?sig=secret`, cards };
}

/** Returns the texts of the card in a message; undefined when a real workflow would refuse the card. */
function textsOf(message: Fields | undefined): string[] | undefined {
  if (message?.type !== 'message' || unknownFields(message, ['type', 'attachments']).length > 0) return undefined;
  const [attachment, ...more] = message.attachments as Fields[];
  if (!attachment || more.length > 0 || attachment.contentType !== 'application/vnd.microsoft.card.adaptive')
    return undefined;
  const card = attachment.content as Fields;
  if (card.type !== 'AdaptiveCard' || unknownFields(card, ['$schema', 'type', 'version', 'msteams', 'body']).length > 0)
    return undefined;
  const body = card.body as Fields[];
  return body.every(isTextBlock) ? body.map(({ text }) => String(text)) : undefined;
}

function isTextBlock(block: Fields): boolean {
  if (unknownFields(block, blockFields).length > 0 || typeof block.text !== 'string' || block.text === '') return false;
  return Object.entries(values).every(([name, known]) => block[name] === undefined || known.includes(block[name]));
}
