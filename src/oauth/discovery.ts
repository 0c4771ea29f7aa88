import { DEFAULT_SCOPES, SCOPES } from '../core/model.ts'
import type { OAuthPolicy } from '../core/oauth-policy.ts'
import { GRANTS } from './token.ts'

const CLIENT_AUTHENTICATION = ['client_secret_basic', 'client_secret_post', 'none']

/** RFC 8414 section 2: where an application finds the endpoints, knowing only the address. */
export function serverMetadata(
  issuer: string,
  { canRegister, clientDocuments }: Pick<OAuthPolicy, 'canRegister' | 'clientDocuments'>,
): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/api/oauth/authorize`,
    token_endpoint: `${issuer}/api/oauth/token`,
    token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    revocation_endpoint: `${issuer}/api/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    introspection_endpoint: `${issuer}/api/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    ...(canRegister && { registration_endpoint: `${issuer}/api/oauth/register` }),
    ...(clientDocuments && { client_id_metadata_document_supported: true }),
    device_authorization_endpoint: `${issuer}/api/oauth/device`,
    scopes_supported: [...SCOPES],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [...GRANTS.keys()],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${issuer}/api/docs`,
  }
}

/**
 * RFC 9728 section 2: which server issues the tokens that the resource at `path` accepts. A 401 of the resource points here. An empty path
 * stands for the whole instance.
 */
export function resourceMetadata(issuer: string, path: string): Record<string, unknown> {
  return {
    resource: issuer + path,
    resource_name: 'docsearch',
    authorization_servers: [issuer],
    // Only the default scopes, because applications such as those built with the MCP SDK ask for every scope in this list.
    scopes_supported: [...DEFAULT_SCOPES],
    bearer_methods_supported: ['header'],
    resource_documentation: `${issuer}/api/docs`,
  }
}
