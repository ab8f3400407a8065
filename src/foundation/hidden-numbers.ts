/**
 * Hides numbers that count what all organizations do. A client that gets a hidden number can send it back, but cannot
 * read how much happened between two of them.
 */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';

/** One block of AES. It contains the number in its last bytes and zeros before it, so that a foreign text is noticed. */
const blockSize = 16;
const numberSize = 6;
const numberAt = blockSize - numberSize;
/** Each number is one block and no two numbers are equal, so the blocks need no chaining. */
const algorithm = 'aes-128-ecb';

export class HiddenNumbers {
  private readonly cipher;
  private readonly decipher;
  private readonly block = Buffer.alloc(blockSize);

  /** @param secret a text that clients do not know. Another secret hides each number in another text */
  constructor(secret: string) {
    const key = createHash('sha256').update(secret).digest().subarray(0, blockSize);
    this.cipher = createCipheriv(algorithm, key, null).setAutoPadding(false);
    this.decipher = createDecipheriv(algorithm, key, null).setAutoPadding(false);
  }

  /**
   * Returns the text for a number, in 32 hexadecimal characters.
   * @param number an integer from 0 to 2^48 - 1
   */
  hide(number: number): string {
    this.block.writeUIntBE(number, numberAt, numberSize);
    return this.cipher.update(this.block).toString('hex');
  }

  /** Returns the number that a text hides; undefined if `hide` did not make the text with the same secret. */
  find(text: string): number | undefined {
    if (!/^[0-9a-f]{32}$/.test(text)) return undefined;
    const block = this.decipher.update(Buffer.from(text, 'hex'));
    return block.subarray(0, numberAt).every((byte) => byte === 0) ? block.readUIntBE(numberAt, numberSize) : undefined;
  }
}
