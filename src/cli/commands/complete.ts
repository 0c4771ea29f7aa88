import type { Context } from '../context.ts'
import { safeText } from '../view/safe.ts'

// A person waits at the prompt: rather no names than late ones.
const LIMIT_MS = 1_500

/** For the completion scripts: names, one a line. Never an error; without an instance there are simply none. */
export async function run(context: Context, [what]: string[]): Promise<number> {
  if (what !== 'projects') return 0
  try {
    const { address } = await context.target()
    const credential = await (await context.credentials()).get(address)
    if (credential === null) return 0
    const { createClient } = await import('../../client/client.ts')
    const client = createClient({
      server: address,
      token: credential.token,
      connectMs: LIMIT_MS,
      idleMs: LIMIT_MS,
      signal: AbortSignal.timeout(LIMIT_MS),
    })
    const { projects } = await client.projects.list({ limit: 100 })
    context.print(projects.map((project) => safeText(project.name) + '\n').join(''))
  } catch {
    // An error message in the middle of a command line that is being written helps nobody.
  }
  return 0
}
