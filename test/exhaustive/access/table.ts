/*
 * Who gets which answer: a line for each endpoint and view. A test fails for an endpoint without
 * a line. An endpoint can have several, with different requests.
 *
 * The letters are the answers to five users: none (no member of the project), reader, writer, manager, and the owner of the instance,
 * who is no member either. `none` and the owner are the first and the last letter.
 *
 * s   answers, and shows something of the project
 * =   answers, and shows nothing of it
 * +   answers; what it shows is not compared
 * -   404: the project or document does not exist for the user
 * x   403 insufficient_role
 * o   403 owner_only
 * l   403 limited_to_projects
 * k   403 insufficient_scope: only a key can have the scope, and the keys here don't have it
 * *   the same for everybody, also without a credential; shows nothing of the project
 *
 * The last column is what the request sends: JSON, the fields of a form, or `?` and a query. In it and in paths, the runner replaces
 * $project and $document by IDs, $new by an unused name, and $email by the address of the user.
 */

/**
 * The API, with three groups of letters: for a key and a token without a limit; for both limited to the project; for both limited to
 * another project of the user. A session is no credential here, so without a key or a token the answer is 401.
 */
export const API = `
POST   /api/v1/search                               =sss= =sss= =====  {"query": "echidna", "facets": ["project", "folder"]}
POST   /api/v1/search                               -sss- -sss- -----  {"query": "echidna", "project": "$project"}
GET    /api/v1/saved-searches                       ===== lllll lllll
POST   /api/v1/saved-searches                       ===== lllll lllll  {"search": {"q": "$new"}}
GET    /api/v1/saved-searches/{id}                  ===== lllll lllll
PATCH  /api/v1/saved-searches/{id}                  ===== lllll lllll  {"name": "n"}
DELETE /api/v1/saved-searches/{id}                  ===== lllll lllll
POST   /api/v1/upload                               -x++- -x++- -----  ?name=a.txt&project=$project
POST   /api/v1/upload                               +++++ lllll lllll  ?name=a.txt&project=$new
POST   /api/v1/upload/plan                          -x++- -x++- -----  {"project": "$project", "files": [{"path": "a", "sha256": "$hash", "size_bytes": 1}]}
POST   /api/v1/upload/plan                          +++++ lllll lllll  {"project": "$new", "files": [{"path": "a", "sha256": "$hash", "size_bytes": 1}]}
GET    /api/v1/documents                            =sss= =sss= =====
GET    /api/v1/documents                            -sss- -sss- -----  ?project=$project
GET    /api/v1/documents/{id}                       -sss- -sss- -----
PATCH  /api/v1/documents/{id}                       -x++- -x++- -----  {"title": "Another title"}
DELETE /api/v1/documents/{id}                       -x++- -x++- -----
GET    /api/v1/documents/{id}/content               -sss- -sss- -----
GET    /api/v1/documents/{id}/text                  -sss- -sss- -----
GET    /api/v1/documents/{id}/pages/{n}.png         -+++- -+++- -----
POST   /api/v1/documents/{id}/restore               -x++- -x++- -----
POST   /api/v1/documents/{id}/reprocess             -x++- -x++- -----
POST   /api/v1/documents/batch                      ===== ===== =====  {"action": "reprocess", "ids": ["$document"]}
GET    /api/v1/projects                             =sss= =sss= =====
POST   /api/v1/projects                             +++++ lllll lllll  {"name": "$new"}
GET    /api/v1/projects/{id}                        -sss- -sss- -----
PATCH  /api/v1/projects/{id}                        -xx+- -xx+- -----  {"description": "Another description"}
DELETE /api/v1/projects/{id}                        -xx+- -xx+- -----
GET    /api/v1/projects/{id}/synonyms               -sss- -sss- -----
POST   /api/v1/projects/{id}/synonyms               -xx+- -xx+- -----  {"synonyms": [{"words": ["badger", "marten"]}]}
PUT    /api/v1/projects/{id}/synonyms               -xx+- -xx+- -----  {"synonyms": [{"words": ["badger", "marten"]}]}
DELETE /api/v1/projects/{id}/synonyms/{synonym}     -xx+- -xx+- -----
GET    /api/v1/projects/{id}/webhooks               -xxs- -xxs- -----
POST   /api/v1/projects/{id}/webhooks               -xx+- -xx+- -----  {"url": "https://example.com/quokka"}
GET    /api/v1/projects/{id}/webhooks/{webhook}     -xxs- -xxs- -----
PATCH  /api/v1/projects/{id}/webhooks/{webhook}     -xx+- -xx+- -----  {"description": "Another description"}
DELETE /api/v1/projects/{id}/webhooks/{webhook}     -xx+- -xx+- -----
POST   /api/v1/projects/{id}/webhooks/{webhook}/rotate -xx+- -xx+- -----
POST   /api/v1/projects/{id}/webhooks/{webhook}/test -xx+- -xx+- -----
GET    /api/v1/projects/{id}/webhooks/{webhook}/deliveries -xx+- -xx+- -----
GET    /api/v1/projects/{id}/webhooks/{webhook}/deliveries/{delivery} -xx+- -xx+- -----
POST   /api/v1/projects/{id}/webhooks/{webhook}/deliveries/{delivery}/redeliver -xx+- -xx+- -----
GET    /api/v1/projects/{id}/members                -sss- -sss- -----
PUT    /api/v1/projects/{id}/members/{user}         -xx+- -xx+- -----  {"role": "writer"}
DELETE /api/v1/projects/{id}/members/{user}         -xx+- -xx+- -----
GET    /api/v1/unmanaged-projects                   oooo= ooool ooool
POST   /api/v1/unmanaged-projects/{id}/take-over    oooo+ ooool ooool
GET    /api/v1/events                               ===== ===== =====
GET    /api/v1/audit                                =++++ =+++= =====
GET    /api/v1/audit                                ===s= ===s= =====  ?action=project.create&project=$project
GET    /api/v1/audit                                =++s= =++s= =====  ?document=$document
GET    /api/v1/keys                                 =sss= =sss= =====  ?limit=100
POST   /api/v1/keys                                 ===== =sss= =====  {"name": "k"}
POST   /api/v1/keys                                 -sss- -sss- -----  {"name": "k", "projects": ["$project"]}
DELETE /api/v1/keys/{id}                            ===== ===== =====
GET    /api/v1/me                                   ===== =sss= =====
GET    /api/v1/connections                          ===== ===== =====
DELETE /api/v1/connections/{id}                     ===== ===== =====
GET    /api/v1/clients                              ===== ===== =====
POST   /api/v1/clients                              ===== ===== =====  {"name": "c", "redirect_uris": ["https://a.example/cb"]}
GET    /api/v1/clients/{id}                         ===== ===== =====
PATCH  /api/v1/clients/{id}                         ===== ===== =====  {"name": "d"}
POST   /api/v1/clients/{id}/rotate                  ===== ===== =====
DELETE /api/v1/clients/{id}                         ===== ===== =====
GET    /api/v1/users                                oooo+ ooool ooool
POST   /api/v1/users                                oooo+ ooool ooool  {"email": "$new@example.org"}
GET    /api/v1/users/{id}                           oooo= ooool ooool
PATCH  /api/v1/users/{id}                           oooo= ooool ooool  {"name": "n"}
GET    /api/v1/users/{id}/deletion                  oooo= ooool ooool
POST   /api/v1/users/{id}/reset                     oooo= ooool ooool
DELETE /api/v1/users/{id}                           oooo= ooool ooool
POST   /api/v1/doctor                               oooo= ooool ooool
GET    /api/v1/models                               ===== ===== =====
POST   /api/v1/models/pull                          oooo= ooool ooool  {"model": "m"}
POST   /api/v1/models/use                           oooo= ooool ooool  {"model": "builtin"}
POST   /api/v1/models/test                          oooo= ooool ooool  {"model": "builtin"}
DELETE /api/v1/models/{id}                          oooo= ooool ooool
POST   /api/v1/backup                               oooo+ ooool ooool
GET    /api/v1/health                               ***** ***** *****
GET    /api/v1/status                               ===== ===== =====
GET    /metrics                                     kkkkk kkkkk kkkkk
POST   /mcp                                         =sss= =sss= =====  {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "echidna"}}}
POST   /mcp                                         =sss= =sss= =====  {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "echidna", "project": "$project"}}}
POST   /mcp                                         =sss= =sss= =====  {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "fetch", "arguments": {"id": "$document"}}}
POST   /mcp                                         =sss= =sss= =====  {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_document", "arguments": {"id": "$document:p1"}}}
POST   /mcp                                         =sss= =sss= =====  {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_projects"}}
POST   /mcp                                         =sss= =sss= =====  {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "docsearch://documents/$document/pages/1"}}
POST   /api/oauth/token                             ***** ***** *****
POST   /api/oauth/revoke                            ***** ***** *****
POST   /api/oauth/introspect                        ***** ***** *****
POST   /api/oauth/device                            ***** ***** *****
POST   /api/oauth/register                          ***** ***** *****
GET    /.well-known/oauth-authorization-server      ***** ***** *****
GET    /.well-known/oauth-protected-resource/mcp    ***** ***** *****
GET    /.well-known/openid-configuration            ***** ***** *****
GET    /.well-known/oauth-protected-resource        ***** ***** *****
GET    /api/openapi.json                            ***** ***** *****
GET    /api/docs                                    ***** ***** *****
GET    /api/docs/style.css                          ***** ***** *****
`

/**
 * The views, with letters for a session. Keys and tokens count for nothing here: the answer to them is the way to the login, and a form
 * without the token of a session is refused.
 */
export const VIEWS = `
GET    /assets/{id}                                 *****
GET    /favicon.ico                                 *****
GET    /opensearch.xml                              *****
GET    /                                            =sss=
GET    /                                            =sss=  ?q=echidna
GET    /                                            -sss-  ?q=echidna&project=$project
POST   /saved-searches                              =====  {"search": "q=$new"}
GET    /saved-searches/{id}                         =====
POST   /saved-searches/{id}                         =====  {"name": "n"}
POST   /saved-searches/{id}/delete                  =====
GET    /documents                                   =sss=
POST   /documents/batch                             =====  {"action": "retry", "ids": "$document"}
GET    /documents/{id}                              -sss-
GET    /documents/{id}/delete                       -xss-
POST   /documents/{id}/delete                       -x++-
POST   /documents/{id}/restore                      -x++-
GET    /documents/{id}/original                     -sss-
GET    /documents/{id}/pages/{n}.png                -+++-
GET    /upload                                      ==ss=
GET    /upload                                      ==ss=  ?project=$project
POST   /upload                                      -x++-  {"project": "$project", "file": "Some words."}
POST   /upload                                      +++++  {"project": "", "new_project": "$new", "file": "Some words."}
GET    /upload/progress                             =sss=  ?ids=$document
GET    /events                                      =====
GET    /login                                       *****
POST   /login                                       *****
POST   /logout                                      *****
GET    /logged-out                                  *****
GET    /setup                                       *****
POST   /setup                                       *****
GET    /api/oauth/authorize                         *****
POST   /api/oauth/authorize                         *****
GET    /device                                      =====
POST   /device                                      =====  {"user_code": "none"}
POST   /device/decision                             =====  {"user_code": "none", "decision": "allow"}
GET    /projects                                    =sss=
GET    /projects/new                                =====
POST   /projects                                    =====  {"name": "$new"}
GET    /projects/{id}                               -sss-
POST   /projects/{id}/settings                      -xx+-  {"name": "$new"}
GET    /projects/{id}/delete                        -xxs-
POST   /projects/{id}/delete                        -xx+-
GET    /projects/{id}/take-over                     ----=
POST   /projects/{id}/take-over                     ----+
POST   /projects/{id}/members                       -xx+-  {"user": "$email", "role": "manager"}
GET    /projects/{id}/members/remove                -sss-  ?user=$email
POST   /projects/{id}/members/remove                -+++-  {"user": "$email"}
GET    /settings                                    =====
GET    /settings/once/{id}                          =====
GET    /settings/profile                            =====
POST   /settings/profile                            =====  {"name": "n", "email": "$email"}
POST   /settings/password                           =====  {"current": "wrong", "password": "four wooden boats", "password_again": "four wooden boats"}
POST   /settings/sessions/end-others                =====
POST   /settings/sessions/{id}/end                  =====
GET    /settings/api-keys                           +++++
GET    /settings/api-keys/new                       =sss=
POST   /settings/api-keys                           =====  {"name": "k", "scopes": "read:documents"}
GET    /settings/api-keys/{id}/revoke               =====
POST   /settings/api-keys/{id}/revoke               =====
GET    /settings/connections                        =====
GET    /settings/connections/{id}/disconnect        =====
POST   /settings/connections/{id}/disconnect        =====
GET    /settings/clients                            =====
GET    /settings/clients/new                        =====
GET    /settings/clients/{id}                       =====
GET    /settings/clients/{id}/edit                  =====
GET    /settings/clients/{id}/delete                =====
POST   /settings/clients                            =====  {"name": "c", "redirect_uris": "https://a.example/cb", "scopes": "read:documents"}
POST   /settings/clients/{id}/edit                  =====  {"name": "c", "redirect_uris": "https://a.example/cb", "scopes": "read:documents"}
POST   /settings/clients/{id}/rotate                =====  {"grace_seconds": "0"}
POST   /settings/clients/{id}/delete                =====
GET    /settings/audit                              =ss++
GET    /settings/audit                              =sss=  ?action=document.upload
GET    /settings/audit                              =sss=  ?project=$project
GET    /settings/instance                           ----+
GET    /settings/users                              ----+
GET    /settings/users/invite                       ----=
POST   /settings/users/invite                       ----=  {"email": "$new@example.org"}
POST   /settings/users/{id}/reset                   ----=
GET    /settings/users/{id}/disable                 ----=
POST   /settings/users/{id}/disable                 ----=
POST   /settings/users/{id}/enable                  ----=
GET    /settings/users/{id}/delete                  ----=
POST   /settings/users/{id}/delete                  ----=
`
