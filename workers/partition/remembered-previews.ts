/**
 * Answers previews of ranges. A preview that took long to make is remembered until a record of its repository is folded,
 * so a repository that is read again costs no computation. Equal questions that arrive meanwhile share one computation.
 */
import type { RangePreview, RangePreviewTask } from '../../src/protocol/tasks.ts';
import type { RememberedAnswers } from './owner.ts';
import type { TouchedRepositories } from './touched.ts';

/** Maximum number of remembered previews per partition. The one that was not asked for the longest is forgotten first. */
const maxKnown = 50;
/** Previews that take less time are not remembered, in milliseconds. */
const costlyMs = 25;

/** A preview that is being made. */
interface Job {
  repoId: string;
  ended: Promise<RangePreview>;
}

export interface RememberedPreviewsOptions {
  /** Makes a preview in a render thread. */
  preview: (task: RangePreviewTask) => Promise<RangePreview>;
  /** Whether the fold announces all records. While a backlog is folded in a thread, it does not. */
  isReady: () => boolean;
  now?: () => number;
}

export class RememberedPreviews implements RememberedAnswers {
  private readonly options: RememberedPreviewsOptions;
  /** In the order in which they were asked for, the newest last. */
  private readonly known = new Map<string, { repoId: string; preview: RangePreview }>();
  /** Jobs whose preview still shows the current state. */
  private readonly jobs = new Map<string, Job>();

  constructor(options: RememberedPreviewsOptions) {
    this.options = options;
  }

  /** Whether nothing is remembered or being made, so that no change needs to be reported. */
  get isEmpty(): boolean {
    return this.known.size + this.jobs.size === 0;
  }

  /** Previews a range. The preview shows all records that were folded before this call. */
  of(task: RangePreviewTask): Promise<RangePreview> {
    if (!this.options.isReady()) return this.options.preview(task);
    const name = JSON.stringify(task);
    const known = this.known.get(name);
    if (!known) return (this.jobs.get(name) ?? this.begin(name, task)).ended;
    this.known.delete(name);
    this.known.set(name, known);
    return Promise.resolve(known.preview);
  }

  /**
   * Notes that repositories have changed. Call it when a commit has ended and before the commit is announced.
   * @param touched undefined if it is not known which repositories have changed
   */
  forget(touched: TouchedRepositories | undefined): void {
    const isTouched = ({ repoId }: { repoId: string }): boolean =>
      touched === undefined || touched.isAny || touched.ids.has(repoId);
    for (const memory of [this.known, this.jobs])
      for (const [name, each] of memory) if (isTouched(each)) memory.delete(name);
  }

  private begin(name: string, task: RangePreviewTask): Job {
    const begun = this.now();
    const { repoId } = task;
    const job: Job = { repoId, ended: this.options.preview(task) };
    this.jobs.set(name, job);
    const end = (preview: RangePreview | undefined): void => {
      // The repository has changed meanwhile, so another job may have this name.
      if (this.jobs.get(name) !== job) return;
      this.jobs.delete(name);
      if (preview && this.now() - begun >= costlyMs) this.remember(name, { repoId, preview });
    };
    job.ended.then(end, () => end(undefined));
    return job;
  }

  private remember(name: string, found: { repoId: string; preview: RangePreview }): void {
    this.known.set(name, found);
    if (this.known.size <= maxKnown) return;
    const [oldest] = this.known.keys();
    if (oldest !== undefined) this.known.delete(oldest);
  }

  private now(): number {
    return (this.options.now ?? performance.now.bind(performance))();
  }
}
