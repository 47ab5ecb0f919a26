import base64
import json
import sys
import threading
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from standardwebhooks import Webhook

if len(sys.argv) != 2:
    sys.exit("Usage: python receiver.py FILE, where FILE holds the signing secrets.")

MAX_BODY_BYTES = 1024 * 1024
MIN_KEY_BYTES = 16
secrets_file = Path(sys.argv[1])
handled_ids = set()
handling = threading.Lock()


def handle(event):
    print(event["type"], event["id"], flush=True)


class Receiver(BaseHTTPRequestHandler):
    # A connection ends after ten seconds without data. A slow client can hold it longer: use this for trials only.
    timeout = 10

    def do_POST(self):
        try:
            self.respond(self.receive())
        except TimeoutError:
            self.respond(408)
        except ConnectionError:
            pass  # The client has closed the connection.
        except Exception:
            traceback.print_exc()
            self.respond(500)

    def receive(self):
        if "Content-Length" not in self.headers:
            return 411  # http.server does not decode a body in chunks.
        try:
            length = int(self.headers["Content-Length"])
        except ValueError:
            return 400
        if length < 0:
            return 400
        # Reads at most 1 MiB, because anybody can send a body.
        raw_body = self.rfile.read(min(length, MAX_BODY_BYTES + 1))
        if len(raw_body) > MAX_BODY_BYTES:
            return 413
        if len(raw_body) < length:
            return 400
        if not any(is_signed_with(secret, raw_body, self.headers) for secret in reload_secrets()):
            return 401
        event = parse_event(raw_body)
        if event is None:
            return 400
        with handling:
            if event["id"] not in handled_ids:
                handle(event)
                handled_ids.add(event["id"])
        return 204

    def respond(self, status):
        self.send_response(status)
        self.end_headers()


def reload_secrets():
    """Reads the file for each notification, so that a rotation needs no restart. An invalid file changes nothing."""
    global secrets
    try:
        secrets = read_secrets()
    except (OSError, ValueError) as error:
        print(f"{error}. The last valid secrets stay in use.", file=sys.stderr, flush=True)
    return secrets


def read_secrets():
    """Reads secrets that are separated by white space. An error never contains what the file holds."""
    found = []
    text = secrets_file.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.split("\n"), start=1):
        for entry in line.split():
            if not is_secret(entry):
                form = f"whsec_ and base64 of at least {MIN_KEY_BYTES} bytes"
                raise ValueError(f"{secrets_file}, line {number}: this is not a signing secret ({form})")
            found.append(entry)
    if not found:
        raise ValueError(f"{secrets_file} contains no signing secret")
    return found


def is_secret(entry):
    """The library ignores what is wrong in base64. It would make a key that everybody can guess from the texts that
    Pulumi writes in place of a secret: [secret] and [object Object]. A short key, such as that of whsec_null, can be
    guessed too."""
    encoded = entry.removeprefix("whsec_")
    try:
        key = base64.b64decode(encoded, validate=True)
    except ValueError:
        return False
    return encoded != entry and len(key) >= MIN_KEY_BYTES and base64.b64encode(key).decode() == encoded


def is_signed_with(secret, raw_body, headers):
    """The local service signs according to Standard Webhooks. If your service signs in another way, change this."""
    try:
        Webhook(secret).verify(raw_body, dict(headers), json_parse=False)
        return True
    except Exception:
        return False


def parse_event(raw_body):
    try:
        # Decoded first, because json.loads would accept bytes with a byte order mark.
        event = json.loads(raw_body.decode())
        return event if is_text(event["id"]) and is_text(event["type"]) else None
    except (ValueError, TypeError, KeyError):
        return None


def is_text(value):
    return isinstance(value, str) and value != ""


try:
    secrets = read_secrets()
except (OSError, ValueError) as error:
    sys.exit(str(error))
try:
    server = ThreadingHTTPServer(("127.0.0.1", 9000), Receiver)
except OSError as error:
    sys.exit(f"The receiver cannot listen: {error}")
server.serve_forever()
