import { usage } from '../../exit.ts'
import { canAsk } from '../../io.ts'
import type { CommandIo } from '../../context.ts'

const MAX_BYTES = 10_000

/** Reads a secret from a prompt on a terminal, else from standard input; '' when there is none. Never from the arguments, which other users can see. */
export async function readSecret(io: CommandIo, what: string): Promise<string> {
  if (canAsk(io)) return checked(await (await io.prompts()).password({ message: `Enter the ${what}` }), what)
  let text = ''
  for await (const part of io.stdin) {
    text += String(part)
    if (text.length > MAX_BYTES) throw usage(`Standard input is too long. Pass only the ${what}.`)
  }
  return checked(text, what)
}

function checked(text: string, what: string): string {
  const secret = text.trim()
  if (/^[\x21-\x7e]*$/.test(secret)) return secret
  throw usage(`Standard input does not contain a valid ${what}.`)
}
