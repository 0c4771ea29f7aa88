import type { Context } from '../../context.ts'
import { administer, type AdministrationOptions } from '../administer.ts'
import { showClient } from './show.ts'

export async function run(
  context: Context,
  [id = '']: string[],
  options: AdministrationOptions & { grace?: number },
): Promise<void> {
  const settings = options.grace === undefined ? {} : { grace_seconds: options.grace }
  const rotated = await administer(context, options, ({ clients }) => clients.rotate(id, settings))
  showClient(context, rotated)
  context.notice(`The old secret is good until ${rotated.old_secrets_expire_at}.`)
}
