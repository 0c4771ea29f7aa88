"""Searches an instance with a token that Authlib gets. The test plays the browser.

Arguments: address of the instance, client ID, client secret (empty for a public
application), redirect address. Prints the address that the user opens, reads the
address to which the browser came back, and prints what it received as JSON.
"""

import json
import sys

from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session

instance, client_id, secret, redirect_uri = sys.argv[1:]
token_endpoint = f"{instance}/api/oauth/token"
session = OAuth2Session(
    client_id,
    secret or None,
    token_endpoint_auth_method="client_secret_basic" if secret else "none",
    revocation_endpoint_auth_method="client_secret_basic" if secret else "none",
    redirect_uri=redirect_uri,
    scope="read:documents",
    code_challenge_method="S256",
    token_endpoint=token_endpoint,
)


def search():
    answer = session.post(f"{instance}/api/v1/search", json={"query": "capybara"})
    return [result["text"] for result in answer.json()["results"]]


verifier = generate_token(48)
address, state = session.create_authorization_url(
    f"{instance}/api/oauth/authorize", code_verifier=verifier
)
print(address, flush=True)
back = sys.stdin.readline().strip()
# Checks `state`.
first = session.fetch_token(authorization_response=back, state=state, code_verifier=verifier)
found = search()
second = session.refresh_token(token_endpoint, refresh_token=first["refresh_token"])
found_again = search()
session.revoke_token(f"{instance}/api/oauth/revoke", token=second["refresh_token"])
after = session.post(f"{instance}/api/v1/search", json={"query": "capybara"}).status_code
print(
    json.dumps(
        {
            "scope": first["scope"],
            "found": found,
            "isRefreshed": first["access_token"] != second["access_token"],
            "foundAgain": found_again,
            "afterRevocation": after,
        }
    )
)
