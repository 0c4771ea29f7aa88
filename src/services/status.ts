import type { Clock } from '../core/clock.ts'
import type { IndexNumbers, ParserNumbers, RecentWork } from '../core/instance-numbers.ts'
import type { DocumentStatus } from '../core/model.ts'
import type { IndexReading } from '../lifecycle/lifecycle.ts'
import type { Records } from '../records/records.ts'
import { requireScope, seesWholeInstance, type Access, type Actor } from './access.ts'
import type { Health, HealthReport } from './health.ts'
import type { Memory, Storage } from './instance.ts'

/** What the instance is doing at the moment, limited to what the actor may know. */
export interface StatusReport {
  health: HealthReport
  /** The documents that the actor may see, or all documents for the owner. */
  documents: Record<DocumentStatus, number>
  /** Null for users who don't see the whole instance. */
  instance: InstanceStatus | null
}

/** Everything about the whole instance. Null for what can't be measured, or only while a daemon runs. */
export interface InstanceStatus {
  /** How long the oldest unfinished document has been in the queue. Null for an empty queue. */
  queueOldestSeconds: number | null
  recent: RecentWork | null
  index: IndexNumbers | null
  parsers: ParserNumbers | null
  memory: Memory | null
  storage: Storage & { indexes: number | null; originals: number }
  users: { all: number; disabled: number }
}

export interface Status {
  /** Throws `insufficient_scope`. */
  report(actor: Actor): Promise<StatusReport>
}

export interface StatusOptions {
  records: Pick<Records, 'queue' | 'users'>
  access: Pick<Access, 'toCount'>
  health: Health
  lifecycle: Pick<IndexReading, 'active' | 'indexes'>
  rates(): RecentWork
  parsers(): ParserNumbers
  storage(): Promise<Storage>
  memory(): Memory
  clock: Clock
}

export function createStatus(options: StatusOptions): Status {
  const { records, access, health, lifecycle, clock } = options

  async function ofInstance(): Promise<InstanceStatus> {
    const [oldest, sizes, indexes, totals] = await Promise.all([
      records.queue.oldest(),
      options.storage(),
      lifecycle.indexes(),
      records.users.totals(),
    ])
    return {
      queueOldestSeconds: oldest === null ? null : Math.max(0, (clock.now().getTime() - oldest.getTime()) / 1000),
      recent: options.rates(),
      index: lifecycle.active()?.index.numbers() ?? null,
      parsers: options.parsers(),
      memory: options.memory(),
      storage: {
        ...sizes,
        indexes: indexes.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0),
        originals: totals.bytes,
      },
      users: { all: totals.users, disabled: totals.disabled },
    }
  }

  return {
    async report(actor) {
      requireScope(actor, 'read:documents')
      const isOwner = seesWholeInstance(actor)
      const [report, documents, instance] = await Promise.all([
        health.report(actor),
        records.queue.counts(isOwner ? undefined : (await access.toCount(actor)).ids),
        isOwner ? ofInstance() : null,
      ])
      return { health: report, documents, instance }
    },
  }
}
