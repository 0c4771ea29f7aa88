import type { Health } from '../../../contract/account.ts'
import type { HealthReport } from '../../../services/health.ts'

/** Callers without a credential see only the status and the version. */
export function presentHealth(report: HealthReport, version: string, { isDetailed }: { isDetailed: boolean }): Health {
  const health: Health = { status: report.status, version }
  return isDetailed ? { ...health, uptime_s: report.uptimeSeconds, checks: presentChecks(report) } : health
}

function presentChecks(report: HealthReport): NonNullable<Health['checks']> {
  const { database, store, index, embedder, reranker, queue, disk, originals, backup } = report
  return {
    database: { status: database.ok ? 'ok' : 'unavailable', message: database.message },
    ...(store !== null && { store: { ...store } }),
    index,
    embedder,
    reranker: { ...reranker },
    queue: { ...queue },
    disk: { status: disk.ok ? 'ok' : 'degraded', message: disk.message, free_bytes: disk.freeBytes },
    originals: {
      status: originals.status,
      message: originals.message,
      damaged: originals.damaged,
      checked_at: originals.checkedAt?.toISOString() ?? null,
    },
    ...(backup !== null && {
      backup: { status: backup.status, message: backup.message, last_success_at: backup.lastSuccessAt?.toISOString() ?? null },
    }),
  }
}
