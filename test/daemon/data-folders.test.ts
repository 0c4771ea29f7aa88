import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
// @ts-expect-error: a script without types
import { describeInstance, makeDataFolder } from '../../scripts/data-folder.mjs'
import { BIN } from '../support/daemon.ts'
import { type Instance, newInstance } from '../support/instance.ts'
import { unpackDataFolder } from '../support/old-data-folder.ts'
import { rest } from '../support/rest.ts'
import { webClient } from '../support/web-client.ts'

const ROOT = new URL('../../', import.meta.url)
const FIXTURES = new URL('test/fixtures/', ROOT)

/** What scripts/data-folder.mjs says about a folder. */
interface Facts {
  format: number
  password: string
  owner: string
  member: string
  ownerKey: string
  questions: Record<string, string>
  documents: { id: string }[]
}

const released = readdirSync(fileURLToPath(FIXTURES))
  .flatMap((name) => /^version-(.+)$/.exec(name)?.[1] ?? [])
  .map((version) => ({
    version,
    facts: JSON.parse(readFileSync(new URL(`version-${version}/facts.json`, FIXTURES), 'utf8')) as Facts,
  }))

let instance: Instance
afterEach(() => instance?.remove())

async function expectToHold(facts: Facts): Promise<void> {
  const { password, owner, member, ownerKey, questions, ...described } = facts
  const { url, daemon } = await instance.start()
  const { settled, search } = rest(url, ownerKey)
  await settled()
  expect(await (describeInstance as (url: string, key: string) => Promise<object>)(url, ownerKey)).toEqual(
    Object.fromEntries(Object.entries(described).filter(([name]) => name !== 'format' && name !== 'version')),
  )
  for (const [name, question] of Object.entries(questions))
    expect(
      (await search(question)).results.map(({ document }) => document.name),
      question,
    ).toContain(name)
  for (const email of [owner, member])
    expect(await webClient({ url, baseUrl: url }).logIn(email, password)).toMatchObject({ status: 303, location: '/' })
  await daemon.stop()
}

test('there is a data folder of every released version', () => {
  const changelog = readFileSync(new URL('CHANGELOG.md', ROOT), 'utf8')
  const versions = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, version]) => version)
  expect(versions.length).toBeGreaterThan(0)
  expect(new Set(released.map(({ version }) => version))).toEqual(new Set(versions))
})

for (const { version, facts } of released)
  test(`this version opens a data folder of version ${version} and loses nothing`, async () => {
    instance = await newInstance()
    await unpackDataFolder(`version-${version}`, instance.dataDir)
    await expectToHold(facts)
  })

test('the data folder that a release adds to the tests holds what its description says', async () => {
  instance = await newInstance()
  const make = makeDataFolder as (options: { bin: string; home: string; dataDir: string }) => Promise<Facts>
  const facts = await make({ bin: BIN, home: join(instance.home, 'made'), dataDir: instance.dataDir })
  expect(facts.documents).toHaveLength(10)
  await expectToHold(facts)
})
