import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** Returns the next document to claim: of the owner whose last claim is longest ago, the oldest with the fewest attempts. */
export function findNextQueued(db: Kysely<Tables>, except: readonly string[]): Promise<{ id: string } | undefined> {
  return db
    .selectFrom((e) =>
      e
        .selectFrom('queue_turns')
        .select((owner) =>
          owner
            .selectFrom('documents')
            .select('documents.id')
            .where('documents.status', '=', 'queued')
            .whereRef('documents.owner_id', '=', 'queue_turns.owner_id')
            // A document that crashed the daemon comes after documents that were not tried yet, so that it can't hold them up.
            .orderBy('documents.attempts')
            .orderBy('documents.queued_at')
            .orderBy('documents.id')
            .limit(1)
            .as('id'),
        )
        .where(sql<boolean>`waiting > 0`)
        .$if(except.length > 0, (query) => query.where('queue_turns.owner_id', 'not in', except))
        .orderBy('queue_turns.turn')
        .orderBy('queue_turns.owner_id')
        .as('heads'),
    )
    .select('heads.id')
    .where('heads.id', 'is not', null)
    .$narrowType<{ id: string }>()
    .limit(1)
    .executeTakeFirst()
}
