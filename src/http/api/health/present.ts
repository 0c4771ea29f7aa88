import type { Health } from '../../../contract/account.ts'

type Checks = NonNullable<Health['checks']>

/** The state of the whole: without database or index nothing can be answered; anything else only makes it worse. */
export function overall(checks: Checks): Health['status'] {
  if (checks.database.status === 'unavailable' || checks.index.status === 'unavailable') return 'unavailable'
  return Object.values(checks).some(({ status }) => status !== 'ok') ? 'degraded' : 'ok'
}

/** To a stranger only state and version. */
export function presentHealth(version: string, checks: Checks, detail: { uptimeSeconds: number } | null): Health {
  const health: Health = { status: overall(checks), version }
  return detail === null ? health : { ...health, uptime_s: detail.uptimeSeconds, checks }
}
