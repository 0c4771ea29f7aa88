import { usage } from '../../exit.ts'
import type { CommandIo } from '../../context.ts'
import { canAsk } from '../../io.ts'

const MAX_CHARACTERS = 10_000

/** Reads a new password: on a terminal from two hidden prompts, else all of standard input without the last line break. */
export async function readPassword(io: CommandIo): Promise<string> {
  if (canAsk(io)) {
    const prompts = await io.prompts()
    const password = await prompts.password({ message: 'Password' })
    if ((await prompts.password({ message: 'Repeat password' })) !== password) throw usage('The passwords do not match.')
    return password
  }
  let text = ''
  // A multi-byte character may be split between two chunks.
  io.stdin.setEncoding('utf8')
  for await (const part of io.stdin) {
    text += String(part)
    if (text.length > MAX_CHARACTERS) throw usage('Standard input is too long. Pass only the password.')
  }
  const password = text.replace(/\r?\n$/, '')
  if (password === '') throw usage('Standard input is empty. Pass the password on standard input.')
  if (/[\r\n]/.test(password)) throw usage('Standard input has more than one line. Pass only the password.')
  return password
}
