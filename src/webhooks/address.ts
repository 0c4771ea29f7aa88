import { isIP } from 'node:net'
import { isPrivateHost, isPublicAddress, isPublicOrPrivateAddress, type IsAllowedAddress } from '../core/addresses.ts'
import { DocsearchError } from '../core/errors.ts'
import type { WebhookPolicy } from '../core/webhooks.ts'

/** Returns which IP addresses docsearch may send messages to. */
export function allowedAddresses({ privateNetworks }: WebhookPolicy): IsAllowedAddress {
  return privateNetworks ? isPublicOrPrivateAddress : isPublicAddress
}

/**
 * Returns the address of a webhook in its usual form. Throws `invalid_webhook_url` for an address that can't work, so that the
 * manager learns about it. The IP addresses of a name are checked again for each connection.
 */
export function checkWebhookUrl(text: string, policy: WebhookPolicy): string {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw invalid('The address of a webhook must be complete, such as https://example.com/docsearch.')
  if (url.username !== '' || url.password !== '')
    throw invalid('The address of a webhook must not contain a user name or a password.')
  if (url.hash !== '') throw invalid('The address of a webhook must not contain a fragment (#…), which is never sent.')
  if (url.protocol === 'http:' && !policy.plainHttp)
    throw invalid('The address of a webhook must begin with https://. The operator can allow http (webhooks.plain_http).')
  checkHost(url.hostname, policy)
  return url.href
}

function checkHost(hostname: string, policy: WebhookPolicy): void {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address) !== 0) {
    if (allowedAddresses(policy)(address)) return
    if (isPublicOrPrivateAddress(address)) throw isPrivate()
    throw invalid(`Webhooks cannot have the address ${hostname}, because it is not the address of a host.`)
  }
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost') || isPrivateHost(hostname)
  if (isLocal && !policy.privateNetworks) throw isPrivate()
}

function isPrivate(): DocsearchError {
  return invalid(
    'The address leads to a private network, and this instance sends webhooks only to the internet. The operator can allow private ' +
      'networks (webhooks.private_networks).',
  )
}

function invalid(message: string): DocsearchError {
  return new DocsearchError('invalid_webhook_url', message)
}
