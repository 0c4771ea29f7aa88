export const tag = 'Webhooks'

export const PROJECT = { path: '/api/v1/projects/{id}/webhooks', idDescription: 'ID or name of the project' }
export const ONE = {
  path: `${PROJECT.path}/{webhook}`,
  idDescription: PROJECT.idDescription,
  pathDescriptions: { webhook: 'ID of the webhook' },
}
