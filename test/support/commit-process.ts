// A writer of an index in an object store, as a process of its own. Takes over the log, commits numbers to the project `count` and prints each
// number, until another writer replaces it. Arguments: address of the store, fence.
import { isDocsearchError } from '../../src/core/errors.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { CommitLog } from '../../src/index/segments/remote/commit-log.ts'
import { openS3 } from '../../src/objects/s3/open.ts'

const [address = '', fence = ''] = process.argv.slice(2)
const store = await openS3({ address, log: silentLogger, timing: { answerMs: 2_000 } })
const log = await CommitLog.open(store, 'idx')
await log.takeOver({ fence: Number(fence) })
try {
  for (let i = 1; ; i++) {
    await log.append(new Map([['count', `${fence}:${i}`]]))
    console.log(i)
  }
} catch (error) {
  console.log(isDocsearchError(error) ? error.code : String(error))
}
store.close()
