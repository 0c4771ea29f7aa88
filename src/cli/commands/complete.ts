import { defineCommand } from '../define.ts'
import { argument } from '../options.ts'
import { oneLine } from '../view/safe.ts'

// The user waits at the prompt: no names are better than late ones.
const LIMIT_MS = 1_500

export default defineCommand({
  name: '__complete',
  isHidden: true,
  summary: 'Print names for shell completion',
  description: 'Print names for shell completion, one per line. Print nothing if the instance does not answer.',
  arguments: { what: argument('<what>') },
  async run(context, { what }) {
    if (what !== 'projects') return
    try {
      const { address } = await context.target()
      const credentials = await context.credentials()
      const credential = await credentials.get(address)
      if (credential === null) return
      const { createClient } = await import('../../client/client.ts')
      const client = createClient({
        server: address,
        dataDir: await credentials.dataDirOf(address),
        token: credential.token,
        connectMs: LIMIT_MS,
        idleMs: LIMIT_MS,
        signal: AbortSignal.timeout(LIMIT_MS),
      })
      const { projects } = await client.projects.list({ limit: 100 })
      context.print(projects.map((project) => oneLine(project.name) + '\n').join(''))
    } catch {
      // An error message would land in the middle of the line that the user is typing.
    }
  },
})
