/**
 * Writes a large file without delaying the syncs of other files on the same disk. A file system such as ext4 writes the
 * new data of all files before a sync of any file ends. So hundreds of megabytes that wait in memory would delay the
 * journal of a NATS server on this disk. This file is synced every few megabytes instead, and leaves the disk to others
 * for as long as the sync took.
 */
import { constants, createReadStream } from 'node:fs';
import { copyFile, type FileHandle, open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** A sync of this many bytes takes about as long as a few batches of the journal. */
const unsyncedBytes = 4_194_304;

export class SteadyFile {
  private readonly file: FileHandle;
  private unsynced = 0;

  private constructor(file: FileHandle) {
    this.file = file;
  }

  /** Creates a file, or empties an existing one. */
  static async create(path: string): Promise<SteadyFile> {
    return new SteadyFile(await open(path, 'w'));
  }

  /** Writes bytes at a position. */
  async write(bytes: Uint8Array, position: number): Promise<void> {
    for (let written = 0; written < bytes.byteLength; ) {
      const { bytesWritten } = await this.file.write(bytes, written, bytes.byteLength - written, position + written);
      written += bytesWritten;
    }
    this.unsynced += bytes.byteLength;
    if (this.unsynced < unsyncedBytes) return;
    const started = performance.now();
    await this.file.datasync();
    this.unsynced = 0;
    await pause(performance.now() - started);
  }

  /** Writes the rest to the disk. */
  async sync(): Promise<void> {
    await this.file.sync();
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}

/**
 * Copies a file to a path where no file exists. Where the file system can share blocks between files, this takes no
 * time.
 */
export async function copySteadily(from: string, to: string): Promise<void> {
  const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE } = constants;
  const isShared = await copyFile(from, to, COPYFILE_EXCL | COPYFILE_FICLONE_FORCE).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST' || error.code === 'ENOENT') throw error;
      return false;
    },
  );
  if (isShared) return;
  const copy = await SteadyFile.create(to);
  try {
    let position = 0;
    for await (const piece of createReadStream(from, { highWaterMark: 1_048_576 }) as AsyncIterable<Buffer>) {
      await copy.write(piece, position);
      position += piece.byteLength;
    }
    await copy.sync();
  } finally {
    await copy.close();
  }
}
