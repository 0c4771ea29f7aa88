import { basePathOf } from '../answers/base-path.ts'
import type { HttpSettings } from '../dependencies.ts'
import type { Middleware } from '../routing/context.ts'

/**
 * Removes the path of the public URL from the address of each request. A request without that path is left alone: some reverse proxies
 * remove it themselves, and programs on the same machine don't use the proxy.
 */
export function basePath({ baseUrl }: Pick<HttpSettings, 'baseUrl'>): Middleware {
  return async (ctx, next) => {
    const base = basePathOf(baseUrl())
    ctx.state.basePath = base
    if (base !== '') ctx.url = ctx.originalUrl = ownUrl(ctx.url, base)
    await next()
  }
}

/** RFC 8414 and RFC 9728 put the path of an issuer or a resource behind the name of the metadata, at the root of the host. */
const METADATA = /^(\/\.well-known\/[a-z-]+)(\/.*)$/

function ownUrl(url: string, base: string): string {
  const [, name, path] = METADATA.exec(url) ?? []
  if (name !== undefined && path !== undefined && isBelow(path, base)) return name + path.slice(base.length)
  if (!isBelow(url, base)) return url
  const rest = url.slice(base.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

function isBelow(url: string, base: string): boolean {
  return url.startsWith(base) && ['', '/', '?'].includes(url.charAt(base.length))
}
