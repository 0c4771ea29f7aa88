// `npm stop [-- --data DIR]`: stops the instance that `npm start` has started.
import { parseArgs } from 'node:util'
import { dataFolder, ensureBuilt, ensureNode, fail, running, stop } from './daemon.mjs'

ensureNode()
const { values } = parseArgs({ options: { data: { type: 'string' } } })
ensureBuilt()
const dataDir = await dataFolder(values.data)
const instance = await running(dataDir)
if (instance === null) fail(1, `No instance is running on the data folder ${dataDir}.`)
if (!(await stop(instance))) fail(7, `Process ${instance.pid} did not stop within 20 seconds.`)
console.log(`Stopped the instance at ${instance.url}. Its data is still in ${dataDir}.`)
