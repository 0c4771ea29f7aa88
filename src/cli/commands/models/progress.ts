import type { ModelIndex } from '../../../contract/models.ts'
import { count } from '../../view/style.ts'

/** How far an index is: `1200 of 9000 passages, 850 tokens a second, about 12 minutes left`. */
export function describeProgress(index: ModelIndex): string {
  const { passages_done: done, passages_total: total, tokens_per_second: speed, seconds_left: left } = index
  return [
    `${done ?? 0} of ${count(total ?? 0, 'passage')}`,
    ...(speed === null ? [] : [`${Math.round(speed)} tokens a second`]),
    ...(left === null || left === 0 ? [] : [`about ${roughTime(left)} left`]),
  ].join(', ')
}

/** A time as a person would say it: `40 seconds`, `12 minutes`, `3 hours`, `2 days`. */
export function roughTime(seconds: number): string {
  if (seconds < 90) return count(Math.max(1, Math.round(seconds)), 'second')
  if (seconds < 90 * 60) return count(Math.round(seconds / 60), 'minute')
  if (seconds < 36 * 3600) return count(Math.round(seconds / 3600), 'hour')
  return count(Math.round(seconds / 86_400), 'day')
}
