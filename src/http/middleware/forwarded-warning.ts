import type { Logger } from '../../core/logger.ts'
import type { HttpSettings } from '../dependencies.ts'
import type { Middleware } from '../routing/context.ts'

/**
 * Warns once if a proxy sends the callers' addresses and the instance ignores them, because all callers then share the limits of
 * one address.
 */
export function forwardedWarning({ trustProxy }: Pick<HttpSettings, 'trustProxy'>, log: Logger): Middleware {
  let isDue = !trustProxy
  return async (ctx, next) => {
    if (isDue && ctx.get('X-Forwarded-For') !== '') {
      isDue = false
      log.warn(
        {},
        'docsearch ignores the X-Forwarded-For header of a request, because trust_proxy is off. Behind a reverse proxy, all callers then share ' +
          'the limits of one address. If callers can reach the instance only through the proxy, set trust_proxy (DOCSEARCH_TRUST_PROXY=true).',
      )
    }
    await next()
  }
}
