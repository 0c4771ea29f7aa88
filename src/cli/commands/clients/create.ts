import type { OAuthClientCreate } from '../../../contract/clients.ts'
import type { Context } from '../../context.ts'
import { administer, type AdministrationOptions } from '../administer.ts'
import { showClient } from './show.ts'

export async function run(
  context: Context,
  [name = '']: string[],
  options: AdministrationOptions & { redirectUri: string[]; public?: boolean; scope?: NonNullable<OAuthClientCreate['scopes']> },
): Promise<void> {
  const application: OAuthClientCreate = {
    name,
    redirect_uris: options.redirectUri,
    type: options.public === true ? 'public' : 'confidential',
    ...(options.scope !== undefined && { scopes: options.scope }),
  }
  showClient(context, await administer(context, options, ({ clients }) => clients.create(application)))
}
