import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/config/load.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import type { Records } from '../../../src/records/records.ts'
import { recordSettings } from '../../../src/serve/start.ts'
import { tempRecords } from '../../support/temp-records.ts'
import { testClock } from '../../support/test-clock.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** Starts an instance with these variables. */
async function start(records: Records, env: Record<string, string>): Promise<void> {
  const { values } = await loadConfig({ data: await tempFolder() }, env)
  await recordSettings(records, values, silentLogger)
}

test('records the names of changed settings at a start, and not their values', async () => {
  const records = await tempRecords(testClock())
  await start(records, { DOCSEARCH_PORT: '5000' })
  await start(records, { DOCSEARCH_PORT: '5000' })
  await start(records, { DOCSEARCH_PORT: '5001', DOCSEARCH_RERANKER: 'http://127.0.0.1:9/secret' })
  await start(records, {})
  const { events } = await records.audit.list({ userId: '', projects: new Set(), limit: null, accounts: 'all' }, {})
  expect(events).toMatchObject([
    { action: 'settings.change', actor: null, details: { changed: ['port', 'reranker'] } },
    { action: 'settings.change', actor: null, details: { changed: ['port', 'reranker'] } },
  ])
  expect(JSON.stringify(events)).not.toMatch(/5000|5001|secret/)
})

test('an instance starts even if its changed settings cannot be recorded', async () => {
  const failing = { audit: { recordSettings: () => Promise.reject(new Error('the disk is full')) } } as unknown as Records
  await expect(start(failing, {})).resolves.toBeUndefined()
})
