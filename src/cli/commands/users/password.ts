import { usage } from '../../exit.ts'
import { canAsk, type Io } from '../../io.ts'

const MAX_CHARACTERS = 10_000

/** A new password: everything on standard input but the line break at its end; on a terminal asked for twice, unseen. */
export async function readPassword(io: Io): Promise<string> {
  if (canAsk(io)) {
    const prompts = await io.prompts()
    const password = await prompts.password({ message: 'Password' })
    if ((await prompts.password({ message: 'The same again' })) !== password) throw usage('The two passwords are not the same.')
    return password
  }
  let text = ''
  // Otherwise a character that two parts share would be broken.
  io.stdin.setEncoding('utf8')
  for await (const part of io.stdin) {
    text += String(part)
    if (text.length > MAX_CHARACTERS) throw usage('Standard input holds more than a password.')
  }
  const password = text.replace(/\r?\n$/, '')
  if (password === '') throw usage('Standard input is empty; it should hold the password.')
  if (/[\r\n]/.test(password)) throw usage('Standard input holds more than one line; it should hold the password alone.')
  return password
}
