// `npm stop [-- --data DIR]`: ends the instance that `npm start` has left running.
import { parseArgs } from 'node:util'
import { dataFolder, ensureBuilt, ensureNode, fail, running, stop } from './daemon.mjs'

ensureNode()
const { values } = parseArgs({ options: { data: { type: 'string' } } })
ensureBuilt()
const dataDir = await dataFolder(values.data)
const instance = await running(dataDir)
if (instance === null) fail(1, `No instance runs with the data folder ${dataDir}.`)
if (!(await stop(instance))) fail(7, `Process ${instance.pid} has not stopped within 20 seconds.`)
console.log(`Stopped the instance at ${instance.url}. Its data stays in ${dataDir}.`)
