import type { ModelUsed } from '../../../contract/models.ts'
import type { UseOutcome } from '../../../lifecycle/lifecycle.ts'
import type { Services } from '../../services.ts'

/** An empty instance, or one that goes back to a model it had, is through within this time, and the answer can say so. */
const SHORTLY_MS = 1_000

/** How a change stands: in use already, or how far it is. */
export async function settledChange(
  { lifecycle }: Pick<Services, 'lifecycle'>,
  { embedder, state, notice }: UseOutcome,
  signal: AbortSignal,
): Promise<ModelUsed> {
  if (state === 'building') {
    const shortly = AbortSignal.any([signal, AbortSignal.timeout(SHORTLY_MS)])
    await lifecycle
      .waitFor(() => (lifecycle.building() === null ? true : null), shortly)
      .catch(() => {
        // It takes longer, or the caller is gone.
      })
  }
  const beside = lifecycle.building()
  const isBuilding = beside !== null && beside.record.embeddingModel === embedder
  const indexes = isBuilding ? await lifecycle.indexes() : []
  const progress = indexes.find(({ record }) => record.id === beside?.record.id)?.progress
  return {
    model: embedder,
    state: isBuilding ? 'building' : 'in_use',
    documents_done: progress?.done ?? 0,
    documents_total: progress?.total ?? 0,
    notice,
  }
}
