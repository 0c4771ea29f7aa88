/** Users, their credentials, applications, the audit log and settings. See schema.ts. */
export const ACCOUNT_TABLES = `
create table users (
  id text primary key,
  email text unique,
  name text not null,
  role text not null,
  password_hash text,
  created_at bigint not null,
  email_folded text,
  disabled_at bigint,
  last_login_at bigint,
  quota_documents bigint,
  quota_bytes bigint,
  quota_passages bigint
);
create unique index users_email_is_unique on users (email_folded);
-- When two processes create the owner of an empty folder at the same time, one of them fails here.
create unique index users_owner_is_one on users (role) where role = 'owner';

create table one_time_links (
  sha256 text primary key,
  user_id text not null references users (id) on delete cascade,
  purpose text not null,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint
);
create index one_time_links_by_user on one_time_links (user_id);

create table sessions (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  sha256 text not null unique,
  user_agent text not null,
  address text not null,
  created_at bigint not null,
  last_seen_at bigint not null,
  expires_at bigint not null
);
create index sessions_by_end on sessions (expires_at);
create index sessions_by_user on sessions (user_id, created_at, id);

create table api_keys (
  id text primary key,
  owner_id text not null references users (id) on delete cascade,
  name text not null,
  sha256 text not null unique,
  last_four text not null,
  scopes text not null,
  created_at bigint not null,
  last_used_at bigint,
  expires_at bigint,
  projects text
);
create index api_keys_by_owner on api_keys (owner_id, created_at, id);

create table oauth_clients (
  id text primary key,
  owner_id text not null references users (id) on delete cascade,
  name text not null,
  type text not null,
  redirect_uris text not null,
  scopes text not null,
  created_at bigint not null,
  updated_at bigint not null
);
create index oauth_clients_by_owner on oauth_clients (owner_id, created_at, id);

create table oauth_client_secrets (
  client_id text not null references oauth_clients (id) on delete cascade,
  sha256 text not null,
  last_four text not null,
  created_at bigint not null,
  expires_at bigint,
  constraint oauth_client_secrets_key primary key (client_id, sha256)
);

-- Applications that registered themselves. They have no owner, so they are not in oauth_clients.
create table oauth_registrations (
  id text primary key,
  name text not null,
  redirect_uris text not null,
  scopes text not null,
  created_at bigint not null
);
create index oauth_registrations_by_age on oauth_registrations (created_at, id);

create table oauth_grants (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  client_id text not null,
  scopes text not null,
  resource text,
  created_at bigint not null,
  last_used_at bigint,
  revoked_at bigint,
  projects text
);
create index oauth_grants_by_client on oauth_grants (client_id);
create index oauth_grants_by_user on oauth_grants (user_id, client_id);

create table oauth_codes (
  sha256 text primary key,
  client_id text not null,
  user_id text not null references users (id) on delete cascade,
  redirect_uri text not null,
  scopes text not null,
  code_challenge text,
  resource text,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint,
  grant_id text references oauth_grants (id) on delete cascade,
  projects text
);
create index oauth_codes_by_client on oauth_codes (client_id);
create index oauth_codes_by_grant on oauth_codes (grant_id);
create index oauth_codes_by_user on oauth_codes (user_id, client_id);

create table oauth_access_tokens (
  sha256 text primary key,
  grant_id text not null references oauth_grants (id) on delete cascade,
  created_at bigint not null,
  expires_at bigint not null,
  scopes text not null
);
create index oauth_access_tokens_by_end on oauth_access_tokens (expires_at);
create index oauth_access_tokens_by_grant on oauth_access_tokens (grant_id, expires_at);

create table oauth_refresh_tokens (
  sha256 text primary key,
  grant_id text not null references oauth_grants (id) on delete cascade,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint,
  successor text
);
create index oauth_refresh_tokens_by_end on oauth_refresh_tokens (expires_at);
create index oauth_refresh_tokens_by_grant on oauth_refresh_tokens (grant_id, expires_at);

create table oauth_device_codes (
  device_sha256 text primary key,
  user_sha256 text not null unique,
  client_id text not null,
  scopes text not null,
  resource text,
  status text not null,
  user_id text references users (id) on delete cascade,
  created_at bigint not null,
  expires_at bigint not null,
  interval_seconds integer not null,
  last_polled_at bigint,
  projects text
);
create index oauth_device_codes_by_client on oauth_device_codes (client_id);
create index oauth_device_codes_by_user on oauth_device_codes (user_id, client_id);

create table saved_searches (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  name text not null,
  parameters text not null,
  created_at bigint not null,
  constraint saved_searches_are_unique unique (user_id, parameters) -- sqlite
);
create unique index saved_searches_are_unique on saved_searches (user_id, md5(parameters)); -- postgres

create table settings (
  name text primary key,
  value text not null
);

-- The rows refer to nothing, because they outlive users, projects and documents.
create table audit_events (
  id bigint primary key,
  action text not null,
  actor_id text,
  actor_name text,
  actor_email text,
  user_id text,
  user_name text,
  user_email text,
  project_id text,
  project_name text,
  document_id text,
  document_name text,
  address text,
  credential text,
  details text not null,
  created_at bigint not null
);
create index audit_events_by_actor on audit_events (actor_id, id) where actor_id is not null;
create index audit_events_by_actor_in_project on audit_events (actor_id, project_id, id) where project_id is not null;
create index audit_events_by_document on audit_events (document_id, id) where document_id is not null;
create index audit_events_by_project on audit_events (project_id, id) where project_id is not null;
create index audit_events_by_user on audit_events (user_id, id) where project_id is null;
create index audit_events_of_accounts on audit_events (id) where project_id is null;

-- Who may still see what happened in a project after its deletion.
create table audit_managers (
  user_id text not null references users (id) on delete cascade,
  project_id text not null,
  constraint audit_managers_key primary key (user_id, project_id)
);

-- The row of a backup that runs is a lease, which keeps originals from being deleted.
create table backups (
  id text primary key,
  kind text not null,
  outcome text not null,
  started_at bigint not null,
  lease_until bigint not null,
  finished_at bigint,
  bytes bigint not null,
  documents integer not null
);
`
