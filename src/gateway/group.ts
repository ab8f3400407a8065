/**
 * Joins the gateways of a service, on all of its nodes, to a group: which of them are live, which one counts for a key,
 * and notices to all of them. The only gateway of a service forms no group, and sends and receives nothing.
 */
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { isOneOfSeveral } from '../../config/nodes.ts';
import type { Settings } from '../../config/schema.ts';
import { Homes } from '../cluster/homes.ts';
import { Members } from '../cluster/members.ts';
import { ulid } from '../foundation/ids.ts';
import type { Logger } from '../foundation/logger.ts';
import { limitsCountedLocally } from '../foundation/metrics.ts';
import type { Journal } from '../journal/connect.ts';
import { openLink } from '../journal/link.ts';
import { type RefusalReason, refusalReasons } from '../protocol/refused-deliveries.ts';
import { type EventRepository, EventRepositorySchema } from '../protocol/repository.ts';

/** What a gateway tells the others: a refused delivery, or a repository that the directory does not list yet. */
type Notice =
  | { about: 'refused'; reason: RefusalReason; orgId: string | null }
  | { about: 'seen'; repository: EventRepository; signedBy: string | null };

const OrgIdSchema = Type.Union([Type.String(), Type.Null()]);
const reasons = Object.keys(refusalReasons).map((reason) => Type.Literal(reason));
const notices = TypeCompiler.Compile(
  Type.Union([
    Type.Object({ about: Type.Literal('refused'), reason: Type.Union(reasons), orgId: OrgIdSchema }),
    Type.Object({ about: Type.Literal('seen'), repository: EventRepositorySchema, signedBy: OrgIdSchema }),
  ]),
);

/** Maximum number of notices about refused deliveries per second. Equal ones are sent once per second. */
const [maxRefusals, refusalMs] = [100, 1000];

export class GatewayGroup {
  readonly homes: Homes;
  private readonly node: string;
  private readonly members: Members | undefined;
  private readonly link: ReturnType<typeof openLink> | undefined;
  /** Refused deliveries that this gateway reports to the others when `telling` ends. */
  private readonly refusals = new Map<string, Notice>();
  private telling: NodeJS.Timeout | undefined;

  /**
   * @param number the number of this gateway on its machine
   * @param isCurrent whether this gateway may serve the state that it reads; another gateway counts while it may not
   */
  constructor(
    settings: Pick<Settings, 'gateways' | 'node'>,
    journal: Journal,
    number: number,
    logger: Logger,
    isCurrent: () => boolean,
  ) {
    this.node = journal.node;
    if (settings.gateways <= 1 && !isOneOfSeveral(settings)) {
      this.homes = new Homes();
      return;
    }
    const link = openLink(journal);
    const members = new Members(link, memberOf(journal.node, number), ulid(), { isCurrent });
    this.homes = new Homes({ members, link, logger, onAlone: () => limitsCountedLocally.inc() });
    this.members = members;
    this.link = link;
    journal.onReconnect(() => members.announce());
  }

  /** The number of live gateways on this node, including this one. */
  get sizeHere(): number {
    return this.members ? this.members.list().filter((member) => nodeOf(member) === this.node).length : 1;
  }

  /**
   * Joins the group. Resolves when all live gateways know this one. A gateway that they do not know yet would count for
   * keys that others count for, too. Call it when everything that other gateways may ask for is declared.
   */
  async start(): Promise<void> {
    await this.members?.start();
  }

  /** Introduces this gateway to the others, after it has become current. Resolves when all of them know it. */
  async join(): Promise<void> {
    await this.members?.join();
  }

  /** Receives the notices of the other gateways. */
  onNotice(handle: (notice: Notice) => void): void {
    this.link?.onNotified((sent) => {
      if (!notices.Check(sent) || (sent as { from?: unknown }).from === this.members?.self) return;
      handle(sent as Notice);
    });
  }

  /** Tells the other gateways of a refused delivery: at once, or with all others of the second. */
  refused(reason: RefusalReason, orgId: string | null): void {
    if (!this.link || this.refusals.size >= maxRefusals) return;
    this.refusals.set(`${reason} ${orgId ?? ''}`, { about: 'refused', reason, orgId });
    if (!this.telling) this.tellRefusals();
  }

  /** Tells the other gateways of a repository that the directory does not list yet. */
  seen(repository: EventRepository, signedBy: string | null): void {
    this.notify({ about: 'seen', repository, signedBy });
  }

  /** Says goodbye to the other gateways. */
  stop(): void {
    clearTimeout(this.telling);
    this.members?.stop();
  }

  private tellRefusals(): void {
    const all = [...this.refusals.values()];
    this.refusals.clear();
    for (const notice of all) this.notify(notice);
    this.telling = all.length === 0 ? undefined : setTimeout(() => this.tellRefusals(), refusalMs);
  }

  private notify(notice: Notice): void {
    this.link?.notify({ ...notice, from: this.members?.self });
  }
}

/** Returns the name of a gateway. The name of its node can contain hyphens, too. */
function memberOf(node: string, number: number): string {
  return `${node}-${number}`;
}

function nodeOf(member: string): string {
  return member.slice(0, member.lastIndexOf('-'));
}
