import { connect } from '@lancedb/lancedb'
import { expect, onTestFinished, test } from 'vitest'
import { tableSchema, unreadColumns } from '../../../../src/index/passages/columns.ts'
import { Part } from '../../../../src/index/passages/part.ts'
import { DIMENSIONS } from '../../../conformance/passage-index.ts'
import { stored } from '../../../support/passage-table.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

const layout = { dimensions: DIMENSIONS, denseDimensions: DIMENSIONS }

test('a process can add passages after another process has dropped the unread columns', async () => {
  const folder = await tempFolder()
  const schema = tableSchema(layout)
  const connection = await connect(folder)
  onTestFinished(() => connection.close())
  const made = await connection.createEmptyTable('part', schema, { storageOptions: { newTableEnableStableRowIds: 'true' } })
  await made.addColumns([{ name: 'owner_id', valueSql: "'usr_a'" }])
  const open = async (): Promise<Part> => {
    const table = await connection.openTable('part')
    const unread = await unreadColumns(table, schema)
    expect(unread).toEqual(['owner_id'])
    const state = { rows: 0, nextRow: 0, versions: 0, openedAt: new Date() }
    return new Part({ table, schema, unread, layout, files: null }, state)
  }
  const [first, second] = [await open(), await open()]
  expect(await first.add([stored('doc_1', 0)])).toEqual([0])
  await second.refresh()
  expect(await second.add([stored('doc_2', 0)])).toEqual([1])
  expect(await second.allRows()).toEqual([0, 1])
})
