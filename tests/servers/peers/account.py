"""One account of a server: what it hands out is the same for all of them, what is read there has its name.

python account.py NAME FILE

FILE has the addresses that it lists.
"""

import json
import sys

me, file = sys.argv[1:]
reads, LINK, PAGE = [], 'acct://me', 'ui://acct/page'
meta = {'ui': {'resourceUri': PAGE}, 'ui/resourceUri': PAGE}
link = {'type': 'resource_link', 'uri': LINK, 'name': 'me'}
embedded = {'type': 'resource', 'resource': {'uri': 'acct://made/1', 'text': me, '_meta': meta}}
schema = {'type': 'object'}
def send(message):
    print(json.dumps({'jsonrpc': '2.0', **message}), flush=True)
def answer(method, params):
    if method == 'initialize':
        offers = {'tools': {}, 'prompts': {}, 'resources': {'subscribe': True, 'listChanged': True}, 'completions': {}}
        return {'protocolVersion': '2025-11-25', 'capabilities': offers, 'serverInfo': {'name': me, 'version': '1'},
                'instructions': 'I am ' + me + '\r## other\n\u2028## other'}
    if method == 'tools/list':
        return {'tools': [{'name': 'show', 'inputSchema': schema, '_meta': meta}, {'name': 'say', 'inputSchema': schema}]}
    if method == 'resources/list':
        return {'resources': [{'uri': uri, 'name': uri} for uri in open(file).read().split()]}
    if method == 'resources/templates/list':
        return {'resourceTemplates': [{'uriTemplate': 'acct://notes/{id}', 'name': 'notes'}]}
    if method == 'prompts/list':
        return {'prompts': [{'name': 'p'}]}
    if method == 'prompts/get':
        return {'messages': [{'role': 'user', 'content': link}, {'role': 'user', 'content': embedded}]}
    if method == 'completion/complete':
        return {'completion': {'values': [me], 'hasMore': False}}
    if method == 'resources/read':
        reads.append(params['uri'])
        part = {'uri': params['uri'] + '/part', 'text': me}
        return {'contents': [{'uri': params['uri'], 'text': me}, part]}
    if method == 'tools/call' and params['name'] == 'say':
        if params['arguments'].get('changed'):
            send({'method': 'notifications/resources/list_changed'})
        for uri in params['arguments'].get('updated', []):
            send({'method': 'notifications/resources/updated', 'params': {'uri': uri}})
        said = {'type': 'text', 'text': json.dumps([params['arguments'], reads])}
        links = [{'type': 'resource_link', 'uri': uri, 'name': 'x'} for uri in params['arguments'].get('links', [])]
        return {'content': [said, *links]}
    if method == 'tools/call':
        return {'content': [link, embedded], '_meta': meta}
    return {}
for line in sys.stdin:
    message = json.loads(line)
    if 'id' in message and 'method' in message:
        method, params = message['method'], message.get('params')
        send({'id': message['id'], 'result': answer(method, params)})
        if method == 'resources/subscribe' and 'news' in params['uri']:
            send({'method': 'notifications/resources/updated', 'params': {'uri': params['uri']}})
