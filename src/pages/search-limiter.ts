/**
 * Limits how much time searches take. Each repository has a budget, so a client that searches one repository without a
 * pause does not switch off the search of others. All repositories share one budget, since all searches run in the
 * process that also accepts webhooks.
 */

/** A budget of time: the part of all time that it gives, and the maximum that it saves up, in milliseconds. */
interface Budget {
  share: number;
  max: number;
}

const forAll: Budget = { share: 1 / 20, max: 250 };
const forRepository: Budget = { share: 1 / 50, max: 50 };
/** Maximum number of repositories with a stored budget. The one whose last search is the oldest gives way. */
const maxRepositories = 1000;

/** Time that is left in a budget, in milliseconds. Negative after a search that took more than was left. */
interface Account {
  left: number;
  at: number;
}

export class SearchLimiter {
  private readonly now: () => number;
  private all: Account | undefined;
  private readonly repositories = new Map<string, Account>();

  /** @param now returns the time in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** Runs the search if both budgets have time left. Returns 0, else the milliseconds until they have. */
  run(repoId: string, search: () => void): number {
    const began = this.now();
    const all = filled(this.all, forAll, began);
    const own = filled(this.repositories.get(repoId), forRepository, began);
    const wait = Math.max(waitFor(all, forAll), waitFor(own, forRepository));
    if (wait > 0) return wait;
    try {
      search();
    } finally {
      const at = this.now();
      this.all = after(all, forAll, at - began, at);
      this.repositories.delete(repoId);
      this.repositories.set(repoId, after(own, forRepository, at - began, at));
      const [oldest] = this.repositories.keys();
      if (this.repositories.size > maxRepositories && oldest !== undefined) this.repositories.delete(oldest);
    }
    return 0;
  }
}

function filled(account: Account | undefined, { share, max }: Budget, now: number): Account {
  return account ? { left: Math.min(max, account.left + (now - account.at) * share), at: now } : { left: max, at: now };
}

function after(account: Account, budget: Budget, spent: number, now: number): Account {
  const { left } = filled(account, budget, now);
  return { left: left - spent, at: now };
}

function waitFor({ left }: Account, { share }: Budget): number {
  return left > 0 ? 0 : Math.max(1, Math.ceil(-left / share));
}
