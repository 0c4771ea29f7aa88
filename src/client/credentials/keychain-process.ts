// Makes one call to keytar in a separate process (see isolatedKeytar): reads a JSON array from standard input, writes one JSON object to standard output.
import { text } from 'node:stream/consumers'

async function call(): Promise<{ value: unknown } | { error: string }> {
  const [method, service, account, secret] = JSON.parse(await text(process.stdin)) as [string, string, string, string]
  try {
    const { default: keytar } = await import('keytar')
    if (method === 'setPassword') return { value: await keytar.setPassword(service, account, secret) }
    if (method === 'deletePassword') return { value: await keytar.deletePassword(service, account) }
    return { value: await keytar.getPassword(service, account) }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    return {
      error: isMissing
        ? 'keytar is not installed'
        : ((error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''),
    }
  }
}

process.stdout.write(JSON.stringify(await call()))
