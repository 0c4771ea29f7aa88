import { type Figure, megabytes } from '../../measure.ts'
import { countRequests } from './store-log.ts'
import type { Usage } from './usage.ts'

export class Report {
  readonly figures: Figure[] = []

  add(name: string, value: string, bound?: string): void {
    this.figures.push({ name, value, ...(bound !== undefined && { bound }) })
    console.error(`${name}: ${value}`)
  }

  /** Adds the average usage of each of `count` documents or searches. */
  addUsage(what: string, each: string, usage: Usage, count: number): void {
    const kinds = Object.entries(usage.cpuMs).filter(([, ms]) => ms > 0)
    this.add(
      `${what}: processor time for each ${each}`,
      kinds.map(([kind, ms]) => `${kind} ${(ms / count).toFixed(2)} ms`).join(', '),
    )
    const { statements, transactions, walBytes, requests, sentBytes } = usage
    this.add(
      `${what}: PostgreSQL for each ${each}`,
      `${(statements / count).toFixed(2)} statements, ${(transactions / count).toFixed(2)} transactions, ${kilobytes(walBytes / count)} of WAL`,
    )
    this.add(
      `${what}: requests to the store for each ${each}`,
      `${countRequests(requests, count)}; it sends ${kilobytes(sentBytes / count)}`,
    )
    for (const [name, some] of Map.groupBy(requests, ({ what, process }) => `${what} of ${process ?? 'LanceDB'}`)) {
      const bytes = some.reduce((sum, request) => sum + request.bytes, 0)
      this.add(`${what}: – ${name}`, `${countRequests(some, count)}; it stores ${kilobytes(bytes / count)}`)
    }
  }
}

export const kilobytes = (bytes: number): string => (bytes < 10e6 ? `${(bytes / 1e3).toFixed(1)} kB` : megabytes(bytes))
export const each = (values: readonly number[]): string => values.map((value) => value.toFixed(value < 100 ? 1 : 0)).join(', ')
