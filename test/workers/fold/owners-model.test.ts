/**
 * Runs two organizations through thousands of steps in random order. One organization is the attacker, which claims
 * repositories of the other organization, the victim. The steps are deliveries, installations, answers of the host,
 * renames, erasings and relays. Some of the steps are late or duplicate. A directory and a partition fold their
 * records. After each step, the attacker must see nothing of the victim. At the end, the victim's ownership is proved.
 * The victim must then own all of its repositories, and they must contain no data of the attacker.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { withDefaults } from '../../../src/api/validate.ts';
import { dayMs } from '../../../src/foundation/days.ts';
import { checkClaim } from '../../../src/ingress/ownership.ts';
import type { SignedBy } from '../../../src/protocol/events.ts';
import type { InstallationRecord, JournalRecord } from '../../../src/protocol/journal.ts';
import { NotesSettingsSchema } from '../../../src/protocol/notes.ts';
import type { EventRepository } from '../../../src/protocol/repository.ts';
import { belongsToListed, incarnationOf } from '../../../src/store/belonging.ts';
import type { Partition } from '../../../src/store/partition.ts';
import {
  organizationByLogin,
  organizationByOwner,
  readDirectoryRepository,
  readOrganization,
} from '../../../src/store/tables/directory.ts';
import { listEffects } from '../../../src/store/tables/outbox.ts';
import { pullsNumbered } from '../../../src/store/tables/pulls.ts';
import { readRepository } from '../../../src/store/tables/repositories.ts';
import { dueOrganizations } from '../../../src/store/tables/retention.ts';
import { foldMessage } from '../../../workers/fold/fold.ts';
import { answerOf } from '../../../workers/host/owners.ts';
import { dump, openTestPartition } from '../../helpers/partition.ts';
import {
  commandRecord,
  dailyTicks,
  epoch,
  eventRecord,
  pullSnapshot,
  repositoryFields,
  resultRecord,
  sweepRecord,
  tickRecord,
} from '../../helpers/partition-records.ts';
import { pick, type Random, seeded } from '../../helpers/random.ts';

const { origin } = repositoryFields();
const start = epoch + 1_000_000;
/**
 * The logins that the victim uses. In this test, no one else gets a former login of the victim, because only a host
 * could assign such a login.
 */
const victimLogins = ['victimcorp', 'victim-renamed'];
const numbers = { victim: '88', attacker: '77', nobody: '99' };
const theirs = 'of the victim';
const forged = 'of the attacker';

type Party = 'victim' | 'attacker';

/** A record that was sent to a partition but is not folded yet. */
interface Sent {
  to: Partition;
  record: JournalRecord;
}

class World {
  readonly directory: Partition;
  readonly partition: Partition;
  /**
   * Whether the victim's deliveries are signed with the victim's own secret only, never with a secret of the whole
   * host.
   */
  readonly hasOwnOnly: boolean;
  readonly repositories: readonly EventRepository[];
  private readonly random: Random;
  private readonly seqs = new Map<Partition, number>();
  private readonly relayed = new Map<Partition, number>();
  private readonly orgs = new Map<Party, string>();
  private sent: Sent[] = [];
  private folded: Sent[] = [];
  private victimLogin = 'victimcorp';
  private now = start;
  private pulls = 0;
  readonly log: string[] = [];
  /** The journal of both partitions: the records that were folded, in order. */
  readonly journal: { into: Partition; seq: number; record: JournalRecord }[] = [];
  /**
   * Titles of changes that were reported in deliveries with a proved owner, per repository. Each of these titles must
   * be kept.
   */
  private readonly reportedTitles = new Map<string, Set<string>>();

  constructor({ directory, partition }: Pick<World, 'directory' | 'partition'>, random: Random, hasOwnOnly: boolean) {
    this.random = random;
    this.hasOwnOnly = hasOwnOnly;
    this.directory = directory;
    this.partition = partition;
    this.repositories = [0, 1].map((nth) => repositoryFields({ private: true }, nth));
    for (const [party, login] of [
      ['attacker', 'acme'],
      ['victim', 'victimcorp'],
    ] as const) {
      if (party === 'victim' && !hasOwnOnly && random(2) === 0) continue;
      this.fold(this.directory, commandRecord({ name: 'nameOrganisation', origin, login } as never));
      this.orgs.set(party, organizationByLogin(this.directory, origin, login)?.id as string);
    }
  }

  /** Runs one random step. For example, the attacker or the victim sends a delivery, or a partition folds a record. */
  step(): void {
    this.now += this.random(2000);
    const steps = [
      () => this.claim(),
      () => this.claim(),
      () => this.claimInstallation(),
      () => this.deliverOwn(),
      () => this.install(),
      () => this.ask(),
      () => this.ask(),
      () => this.arrive(),
      () => this.arrive(),
      () => this.arrive(),
      () => this.relay(),
      () => this.relay(),
      () => this.relay(),
      () => this.repeat(),
      () => this.rename(),
      () => this.unselect(),
      () => this.configure(),
      () => this.age(),
    ];
    pick(this.random, steps)();
  }

  /** Proves the victim's ownership, and folds all records that were sent. */
  settle(): void {
    while (this.arrive() || this.relay());
    for (let round = 0; round < 4; round += 1) {
      this.now += 4_000_000;
      for (const repository of this.repositories) {
        if (this.hasOwnOnly) this.ask(repository, true);
        while (this.arrive() || this.relay());
        this.deliverOwn(repository, !this.hasOwnOnly);
        while (this.arrive() || this.relay());
        if (this.hasOwnOnly) this.ask(repository, true);
        while (this.arrive() || this.relay());
      }
    }
    // One day later, all delayed events are due.
    this.fold(this.partition, tickRecord(this.now + dayMs));
    while (this.arrive() || this.relay());
  }

  /** Returns titles of the victim's changes that the attacker's key could read. */
  leaked(): string[] {
    return this.repositories.flatMap(({ id }) => {
      const listed = readDirectoryRepository(this.directory, id);
      if (!listed || listed.orgId !== this.orgs.get('attacker')) return [];
      const isShown = belongsToListed(this.directory, listed, this.partition);
      return isShown ? this.titles(id).filter((title) => title.includes(theirs)) : [];
    });
  }

  titles(id: string): string[] {
    return pullsNumbered(this.partition, id, 1, 1_000_000).map(({ title }) => title);
  }

  /** Reports every wrong state, after all records have been folded. */
  *faults(): Iterable<string> {
    const owner = organizationByOwner(this.directory, origin, numbers.victim);
    if (owner?.login !== this.victimLogin) yield `the number of the victim is that of ${owner?.login}`;
    if (organizationByLogin(this.directory, origin, this.victimLogin)?.id !== owner?.id)
      yield 'the login is not the victim’s';
    const acme = readOrganization(this.directory, this.orgs.get('attacker') as string);
    if (acme?.ownerId === numbers.victim && acme.ownerProof === 'proved') yield 'the attacker has the number';
    for (const { id } of this.repositories) {
      const listed = readDirectoryRepository(this.directory, id);
      const stored = readRepository(this.partition, id);
      const titles = this.titles(id);
      if (listed?.orgId !== owner?.id)
        yield `${id} is listed for ${readOrganization(this.directory, listed?.orgId ?? '')?.login}`;
      if (listed?.claimed || stored?.claimedBy)
        yield `${id} is claimed by ${stored?.claimedBy}, listed ${listed?.claimed}`;
      if (listed?.state !== 'connected') yield `${id} is ${listed?.state}`;
      if (!listed?.fullName.startsWith(`${this.victimLogin}/`)) yield `${id} is listed as ${listed?.fullName}`;
      if (stored?.owner.id !== numbers.victim) yield `${id} is stored for ${stored?.owner.login}`;
      if (!stored?.fullName.startsWith(`${this.victimLogin}/`)) yield `${id} is stored as ${stored?.fullName}`;
      if (titles.some((title) => title.includes(forged))) yield `${id} holds what was forged`;
      if (this.partition.tables.notesSettings.get(id) !== undefined) yield `${id} has settings of the attacker`;
      if (stored?.formerNames.some((name) => !victimLogins.includes(name.split('/')[0] as string)))
        yield `${id} has former names ${stored?.formerNames}`;
      for (const title of this.reportedTitles.get(id) ?? [])
        if (!titles.includes(title)) yield `${id} has lost ${title}`;
      if (!titles.some((title) => title.includes(theirs))) yield `${id} has lost what the victim told`;
    }
  }

  /** Sends a delivery that is signed with the attacker's own secret, with any owner and any time. */
  private claim(): void {
    this.nameAgain();
    const repository = this.named(pick(this.random, this.repositories), this.anyOwner());
    this.deliver('attacker', repository, forged, this.anyTime());
  }

  private claimInstallation(): void {
    const added = this.repositories.filter(() => this.random(2) === 0);
    this.deliverInstallation('attacker', this.anyOwner(), added);
  }

  /** Sends a delivery of the victim, signed with a secret of the whole host or with the victim's own secret. */
  private deliverOwn(
    repository = pick(this.random, this.repositories),
    isProof = !this.hasOwnOnly && this.random(3) > 0,
  ): void {
    const named = this.named(repository, this.victim());
    const time = this.now - (this.now % 1000);
    if (isProof) this.deliver(null, named, theirs, time);
    else if (this.orgs.has('victim')) this.deliver('victim', named, theirs, time);
  }

  private install(): void {
    const isProof = !this.hasOwnOnly && this.random(3) > 0;
    if (isProof) this.deliverInstallation(null, this.victim(), this.repositories);
    else if (this.orgs.has('victim')) this.deliverInstallation('victim', this.victim(), this.repositories);
  }

  /**
   * Sends an answer of the host. The answer names the owner of a repository, or states that the repository does not
   * exist.
   */
  private ask(repository = pick(this.random, this.repositories), isSure = false): void {
    const listed = readDirectoryRepository(this.directory, repository.id);
    const organization = listed && readOrganization(this.directory, listed.orgId);
    if (!listed || !organization) return;
    const victim = this.victim();
    const found = {
      id: Number(repository.hostId),
      full_name: `${victim.login}/private`,
      owner: { id: Number(victim.id), login: victim.login },
    };
    const isShown = isSure || this.random(4) > 0;
    const answer = answerOf(isShown ? (found as never) : undefined, listed, organization);
    const asked = { repoId: repository.id, orgId: listed.orgId, ownerId: organization.ownerId ?? '' };
    const result = { result: 'ownerAnswered', ...asked, askedAt: this.now, partitions: 64, answer } as const;
    this.send('answer', this.directory, resultRecord(result, this.now));
  }

  /**
   * Gives the victim another login. The host may report the new login at once, by an installation delivery. If not,
   * only later deliveries contain the new login.
   */
  private rename(): void {
    if (this.hasOwnOnly || this.random(4) > 0) return;
    this.victimLogin = pick(this.random, victimLogins);
    this.log.push(`the victim is ${this.victimLogin}`);
    if (this.random(2) === 0) this.deliverInstallation(null, this.victim(), [], 'renamed');
  }

  /**
   * The attacker makes claims and removes its app. Then 32 days pass, and a sweep is sent that erases organizations
   * without an app.
   */
  private age(): void {
    this.claim();
    this.deliverInstallation('attacker', this.anyOwner(), [], 'uninstalled');
    while (this.arrive() || this.relay());
    this.folded = [];
    const from = this.now;
    this.now += 32 * dayMs;
    for (const tick of dailyTicks(from, this.now)) this.fold(this.directory, tick);
    const organizations = dueOrganizations(this.directory, this.now);
    if (organizations.length === 0) return;
    const sweep = { sweep: 'organisations' as const, organisations: organizations, partitions: 64, shares: [] };
    this.send(`erasing of ${organizations.length}`, this.directory, sweepRecord(sweep, this.now));
    this.deliverOwn();
  }

  /** After the attacker's organization was erased, the operator creates it again by its login. */
  private nameAgain(): void {
    if (readOrganization(this.directory, this.orgs.get('attacker') as string)) return;
    this.fold(this.directory, commandRecord({ name: 'nameOrganisation', origin, login: 'acme' } as never, this.now));
    this.orgs.set('attacker', organizationByLogin(this.directory, origin, 'acme')?.id as string);
  }

  /**
   * The attacker unselects a repository. The directory partition lists the attacker as the owner of this repository.
   */
  private unselect(): void {
    const { id } = pick(this.random, this.repositories);
    if (readDirectoryRepository(this.directory, id)?.orgId !== this.orgs.get('attacker')) return;
    const command = {
      name: 'selectRepository',
      repoId: id,
      orgId: this.orgs.get('attacker'),
      selected: false,
    } as const;
    this.send('unselect', this.directory, commandRecord(command as never, this.now));
  }

  /** The attacker changes settings of a repository that the directory lists as the attacker's. */
  private configure(): void {
    const { id } = pick(this.random, this.repositories);
    const listed = readDirectoryRepository(this.directory, id);
    const stored = readRepository(this.partition, id);
    if (!listed || listed.orgId !== this.orgs.get('attacker')) return;
    if (!belongsToListed(this.directory, listed, this.partition)) return;
    const incarnation = incarnationOf(listed, stored);
    if (incarnation === undefined) return;
    const settings = withDefaults(NotesSettingsSchema, {}) as never;
    this.send(
      'settings',
      this.partition,
      commandRecord({ name: 'putSettings', repoId: id, settings, ...incarnation }, this.now),
    );
  }

  private deliver(party: Party | null, named: EventRepository, text: string, updatedAt: number): void {
    const admitted = this.judge(party, named.owner, [named]);
    if (admitted === undefined) return;
    const { signedBy, login = named.owner.login } = admitted;
    const repository = this.named(named, { ...named.owner, login });
    this.pulls += 1;
    const pull = pullSnapshot(this.pulls, { title: `Change ${this.pulls} ${text}`, updatedAt });
    const body = { event: 'pull_request', action: 'closed', pull } as const;
    const what = `${party} tells of ${repository.hostId} as ${repository.owner.id} ${repository.fullName} at ${updatedAt}`;
    const due = this.random(6) === 0 ? { due: this.now + this.random(20_000) } : {};
    this.send(what, this.partition, eventRecord(body, { at: this.now, repository, signedBy, ...due }));
  }

  private deliverInstallation(
    party: Party | null,
    reported: EventRepository['owner'],
    repositories: readonly EventRepository[],
    action = pick(
      this.random,
      party === 'attacker' ? (['installed', 'selected', 'renamed', 'uninstalled'] as const) : (['installed'] as const),
    ) as InstallationRecord['body']['action'],
  ): void {
    const added = repositories.map((repository) => this.named(repository, reported));
    const admitted = this.judge(party, reported, added, true);
    if (admitted === undefined) return;
    const { signedBy, login = reported.login } = admitted;
    const owner = { ...reported, login };
    const delivery = `installation-${this.log.length}`;
    const record: InstallationRecord = {
      ...({
        id: delivery,
        at: this.now,
        kind: 'installation',
        delivery,
        source: '',
        partitions: 64,
        signedBy,
      } as const),
      body: {
        ...({ action, origin, installationId: '8', owner } as const),
        removed: party === 'attacker' && this.random(2) === 0 ? this.repositories.map(({ id }) => ({ id })) : [],
        added: added.map(({ id, hostId }) => ({ id, hostId, fullName: `${login}/private`, private: true })),
      } as InstallationRecord['body'],
    };
    this.send(
      `${party} ${action} as ${owner.id} ${owner.login}: ${added.map(({ hostId }) => hostId)}`,
      this.directory,
      record,
    );
  }

  /**
   * Decides from the directory's current state whether the edge would accept a delivery. Returns the signer of an
   * accepted delivery.
   */
  private judge(
    party: Party | null,
    owner: EventRepository['owner'],
    repositories: EventRepository[],
    isList = false,
  ): { signedBy: SignedBy; login?: string } | undefined {
    if (party === null) return { signedBy: null };
    return checkClaim(this.directory, this.orgs.get(party) as string, { owner, repositories, isList });
  }

  private send(what: string, to: Partition, record: JournalRecord): void {
    this.log.push(`${this.log.length} sent: ${what}`);
    this.sent.push({ to, record });
    if (this.random(2) === 0) this.arrive();
  }

  /** Folds one of the sent records, chosen at random. Returns false if no record is left. */
  private arrive(): boolean {
    const [next] = this.sent.splice(this.random(this.sent.length), 1);
    if (!next) return false;
    this.log.push(`arrived: ${next.record.kind} ${next.record.id}`);
    this.fold(next.to, next.record);
    this.folded.push(next);
    this.note(next.record);
    return true;
  }

  private note(record: JournalRecord): void {
    if (record.kind !== 'event' || record.signedBy !== null || record.body.event !== 'pull_request') return;
    const { id } = record.repository;
    this.reportedTitles.set(id, (this.reportedTitles.get(id) ?? new Set()).add(record.body.pull.title));
  }

  /** Folds a random delivery a second time. */
  private repeat(): void {
    const again = this.folded[this.random(this.folded.length)];
    if (again) this.fold(again.to, again.record);
  }

  /** Folds the next relay of the directory or of the partition. Relays of the same sender keep their order. */
  private relay(): boolean {
    const ways = [
      [this.partition, this.directory],
      [this.directory, this.partition],
    ] as const;
    const first = this.random(2);
    return this.carry(...(ways[first] as (typeof ways)[0])) || this.carry(...(ways[1 - first] as (typeof ways)[0]));
  }

  private carry(from: Partition, to: Partition): boolean {
    for (const { number: row, effect } of listEffects(from, this.relayed.get(from) ?? 0, 100)) {
      this.relayed.set(from, row);
      if (effect.effect !== 'relay') continue;
      this.log.push(`relayed to ${to.name}: ${JSON.stringify(effect.body)}`);
      const { body, at } = effect;
      const record = {
        id: `${from.name}-${row}`,
        at: Math.max(at, this.now),
        kind: 'relay',
        source: from.name,
        row,
        body,
      } as const;
      this.fold(to, record);
      if (this.random(8) === 0) this.fold(to, record);
      return true;
    }
    return false;
  }

  private fold(into: Partition, record: JournalRecord): void {
    const seq = (this.seqs.get(into) ?? 0) + 1;
    this.seqs.set(into, seq);
    this.journal.push({ into, seq, record });
    foldMessage(into, seq, [record]);
  }

  private named(repository: EventRepository, owner: EventRepository['owner']): EventRepository {
    const fullName = `${owner.login}/private`;
    return { ...repository, fullName, url: `${origin}/${fullName}`, owner };
  }

  private victim(): EventRepository['owner'] {
    return { id: numbers.victim, login: this.victimLogin };
  }

  private anyOwner(): EventRepository['owner'] {
    const login = pick(this.random, ['acme', 'acme', 'acme', 'acme-renamed', ...victimLogins]);
    return { id: pick(this.random, Object.values(numbers)), login };
  }

  private anyTime(): number {
    return pick(this.random, [this.now, this.now - 500_000, this.now + 300_000]);
  }
}

/** Returns a function that runs a callback on empty partitions, and rolls everything back afterwards. */
function inNewStores(t: TestContext) {
  const stores = { directory: openTestPartition(t, 'directory'), partition: openTestPartition(t, 'p00') };
  const undone = new Error('undone');
  return (run: (opened: typeof stores) => void): void => {
    const all = () => {
      run(stores);
      throw undone;
    };
    try {
      stores.directory.root.transactionSync(() => stores.partition.root.transactionSync(all));
    } catch (error) {
      if (error !== undone) throw error;
    }
  };
}

const orders = 400;
/** Every 20th journal is folded again from its beginning. */
const foldedAgain = 20;

for (const [secrets, hasOwnOnly] of [
  ['a secret of the whole host', false],
  ['its own secret and the host’s answers', true],
] as const) {
  test(`a victim with ${secrets} shows nothing to an attacker and loses nothing, in any order`, (t) => {
    const inStores = inNewStores(t);
    const bytes = ({ directory, partition }: Pick<World, 'directory' | 'partition'>) =>
      dump(directory) + dump(partition);
    for (let seed = 1; seed <= orders; seed += 1) {
      const isFoldedAgain = seed % foldedAgain === 0;
      let journal: World['journal'] = [];
      let before = '';
      inStores((stores) => {
        const world = new World(stores, seeded(seed), hasOwnOnly);
        for (let step = 0; step < 40; step += 1) {
          world.step();
          const leaked = world.leaked();
          assert.deepEqual(leaked, [], `seed ${seed}:\n${world.log.join('\n')}`);
        }
        world.settle();
        const faults = [...world.faults()];
        assert.deepEqual(faults, [], `seed ${seed}:\n${world.log.join('\n')}`);
        journal = world.journal;
        if (isFoldedAgain) before = bytes(world);
      });
      if (!isFoldedAgain) continue;
      inStores((stores) => {
        for (const { into, seq, record } of journal) foldMessage(into, seq, [record]);
        assert.equal(bytes(stores), before, `seed ${seed} folds to other bytes the second time`);
      });
    }
  });
}
