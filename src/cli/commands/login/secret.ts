import { usage } from '../../exit.ts'
import { canAsk } from '../../io.ts'
import type { Io } from '../../io.ts'

const MAX_BYTES = 10_000

/** A key or another secret from standard input, asked for on a terminal; '' when there is none. Never from the arguments, which others can see. */
export async function readSecret(io: Io, what: string): Promise<string> {
  if (canAsk(io)) return checked(await (await io.prompts()).password({ message: what }), what)
  let text = ''
  for await (const part of io.stdin) {
    text += String(part)
    if (text.length > MAX_BYTES) throw usage(`Standard input holds more than a ${what.toLowerCase()}.`)
  }
  return checked(text, what)
}

function checked(text: string, what: string): string {
  const secret = text.trim()
  if (/^[\x21-\x7e]*$/.test(secret)) return secret
  throw usage(`Standard input holds something that is not a ${what.toLowerCase()}.`)
}
