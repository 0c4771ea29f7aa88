import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { ApiKeyCreated } from '../../src/contract/account.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { labelsOf } from '../support/metrics.ts'
import { root } from '../support/sources.ts'

// The dashboard, the alerts and the documentation name metrics. A misspelled name would show an empty panel, or an alert that never fires.

let app: TestApp
/** The metrics of a real scrape with their labels. */
let metrics: Map<string, string[]>
beforeAll(async () => {
  app = await startTestApp()
  await app.alice.ready('trees.txt', 'Linden trees line the street.')
  await app.alice.post('/api/v1/search', { query: 'linden' })
  const { body } = await app.alice.post<ApiKeyCreated>('/api/v1/keys', { name: 'p', scopes: ['read:metrics'] })
  const answer = await fetch(`${app.url}/metrics`, { headers: { Authorization: `Bearer ${body.key}` } })
  metrics = labelsOf(await answer.text())
})
afterAll(() => app?.close())

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const ALERTS = 'deploy/prometheus/docsearch-alerts.yml'

interface Dashboard {
  panels: { title: string; gridPos: { x: number; y: number; w: number; h: number }; targets?: { expr: string }[] }[]
}
interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string; description: string } }[] }[]
}

/** Returns the metrics that a query names. The series of a histogram count as the histogram. */
function metricsIn(query: string): string[] {
  const names = query.match(/\b(?:docsearch|process|nodejs)_\w+/g) ?? []
  return names.map((name) => (metrics.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, '')))
}

function expectKnown(queries: readonly string[]): void {
  const names = new Set(queries.flatMap(metricsIn))
  expect(names.size).toBeGreaterThan(5)
  expect([...names].filter((name) => !metrics.has(name))).toEqual([])
}

describe('the dashboard', () => {
  const { panels } = JSON.parse(read('deploy/grafana/docsearch.json')) as Dashboard

  test('shows only metrics that a scrape has', () => {
    expectKnown(panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)))
  })

  test('has panels that do not overlap', () => {
    const cells = panels.flatMap(({ title, gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => ({ title, cell: `${x + (i % w)},${y + Math.floor(i / w)}` })),
    )
    expect([...Map.groupBy(cells, ({ cell }) => cell).values()].filter((titles) => titles.length > 1)).toEqual([])
  })
})

test('the alerts use only metrics that a scrape has, and say what happened', () => {
  const { groups } = parse(read(ALERTS)) as Rules
  const rules = groups.flatMap((group) => group.rules)
  expectKnown(rules.map(({ expr }) => expr))
  for (const { alert, annotations } of rules)
    expect([alert, annotations.summary !== '', annotations.description !== '']).toEqual([alert, true, true])
})

test('the tests of the alerts name every alert', () => {
  const { groups } = parse(read(ALERTS)) as Rules
  const tested = read('test/fixtures/alerts.test.yml')
  for (const { alert } of groups.flatMap(({ rules }) => rules)) expect(tested.split(`alertname: ${alert}`)).toHaveLength(3)
})

test('the documentation lists every metric with its labels, and no other', () => {
  const rows = read('docs/monitoring.md').matchAll(/^\| (`docsearch_[^|]*)\| ([^|]*) ?\|/gm)
  const documented = new Map(
    [...rows].flatMap(([, names = '', labels = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => [
        name!,
        [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label!).toSorted(),
      ]),
    ),
  )
  const own = new Map([...metrics].filter(([name]) => name.startsWith('docsearch_')))
  expect([...documented.keys()].toSorted()).toEqual([...own.keys()].toSorted())
  // A metric without samples has no labels yet.
  for (const [name, labels] of own) if (labels.length > 0) expect([name, documented.get(name)]).toEqual([name, labels])
})
