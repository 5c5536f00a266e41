import type { Dice } from './dice.ts'

/**
 * The bytes of a connection in pieces (one character per byte), valid and invalid. Most pieces are valid, so that an
 * invalid one is reached.
 */
export function connection(dice: Dice): string[] {
  const pieces = Array.from({ length: 1 + dice.below(3) }, () => request(dice)).flat()
  return dice.once(4) ? mutate(dice, pieces) : pieces
}

const METHODS = [
  'GET',
  'GET',
  'POST',
  'POST',
  'POST',
  'HEAD',
  'OPTIONS',
  'PUT',
  'DELETE',
  'PATCH',
  'TRACE',
  'QUERY',
  'get',
  'G\0T',
  '',
]

const TARGETS = [
  ...[
    '/v1/pets',
    '/v1/pets',
    '/v1/pets',
    '/v1/pets/1',
    '/v1/pets/1',
    '/v1/pets/13',
    '/v1/store/orders',
    '/v1/nope',
  ],
  ...[
    '/v1/pets/',
    '/v1//pets',
    '/v1/./pets',
    '/v1/../v1/pets',
    '/v1',
    '/v1/',
    '/',
    '*',
    '',
    '//',
    'v1/pets',
    '/V1/pets',
  ],
  ...[
    '/v1/pets/%31',
    '/v1/pets/%zz',
    '/v1/pets/%',
    '/v1/pets/%00',
    '/v1/pets/%F0%9F',
    '/v1/%70ets',
    '/v1/pets%2F1',
  ],
  ...[
    '/v1/pets/9223372036854775808',
    '/v1/pets/-0',
    '/v1/pets/1e3',
    '/v1/pets/__proto__',
    '/v1/pets/\xff',
    '/v1/pets/1;x',
  ],
  ...[
    'http://localhost/v1/pets',
    'http://[::1/v1/pets',
    'https://x:99999/v1/pets',
    'localhost:80',
    '/v1/pets#x',
    '/v1/pets?#',
  ],
]

const QUERIES = [
  ...[
    'limit=1',
    'limit=100',
    'limit=0',
    'limit=abc',
    'limit=1&limit=2',
    'limit[]=1',
    'limit=%31',
    'limit=%zz',
    'limit=%',
  ],
  ...[
    'limit=99999999999999999999',
    'status=sold',
    'status=',
    'status=%00',
    'status=sold&limit=1',
    'status[a]=1',
    'page=2',
  ],
  ...[
    'a&b&c',
    '&&&',
    '=',
    '?',
    '__proto__=1',
    'constructor=1',
    'limit=+1',
    'limit=1%0d%0aX: y',
    '\xc3\x28=1',
    'api_key=psk_free',
  ],
]

const AUTHORIZATIONS = [
  ...[
    'Bearer psk_enterprise',
    'Bearer psk_enterprise',
    'Bearer psk_enterprise',
    'Bearer psk_enterprise.w1',
    'bearer   psk_enterprise.w2',
  ],
  ...[
    'Bearer psk_free',
    'Bearer psk_free.w3',
    'Bearer psk_removed',
    'Bearer psk_unstable',
    'Bearer psk_flaky',
    'Bearer psk_empty',
  ],
  ...[
    'Bearer psk_limited.w3',
    'Bearer psk_banned.w3',
    'Bearer psk_expired',
    'Bearer nope.w1',
    'Bearer psk_free.',
    'Bearer .',
    'Bearer',
  ],
  ...[
    'Bearer __proto__',
    'Bearer constructor.w1',
    'Bearer toString',
    'Bearer psk_free.w/1',
    'Basic cHNrOg==',
    'Bearer a b',
    'Bearer \xe4',
    '',
  ],
]

const HEADERS = [
  ...[
    'Accept: text/html',
    'Accept: */*;q=x',
    'Prefer: code=503',
    'Prefer: code=999',
    'Prefer: code=429, code=200',
    'Prefer: ;;=,"',
    'Prefer: code="503',
  ],
  ...[
    'Prefer: respond-async, wait=1',
    'If-None-Match: *',
    'Range: bytes=0-1',
    'Connection: close',
    'Connection: keep-alive',
    'Connection: upgrade',
  ],
  ...[
    'Upgrade: websocket',
    'Upgrade: h2c',
    'Expect: 100-continue',
    'Expect: x',
    'Origin: http://x',
    'Origin: null',
    'Cookie: a=b; a=c',
  ],
  ...[
    'Access-Control-Request-Method: POST',
    'Access-Control-Request-Headers: a, b\t',
    'Idempotency-Key: 1',
    'Content-Encoding: gzip',
  ],
  ...[
    'X-Empty:',
    'X:\t y',
    ' folded: x',
    'No-Colon',
    'Bad Name: x',
    'Ctl: \x01',
    'Utf: \xc3\xa4',
    'Host: second',
    'Date: x',
    'Trailer: X',
    'TE: trailers',
  ],
]

const MEDIA = [
  'application/json',
  'application/json',
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset="utf-8"',
  'application/json; charset=latin1',
  'text/plain',
  'application/',
  '/',
  ';',
  '\xff',
]

const VALUES = [
  '1',
  '0',
  '-1',
  '1.0',
  '1e2',
  '1e400',
  '-0',
  '9223372036854775807',
  '9223372036854775808',
  '01',
  '+1',
  '.5',
  '1.',
  'NaN',
  '"1"',
  'null',
  'true',
  '[]',
  '{}',
  '"available"',
  '"sold"',
  '"lost"',
  '"Kit"',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\x"',
  '"\xff"',
  '"\xc3\xa4"',
  '"a\nb"',
  '"\u007f"',
]

const NAMES = [
  '"name"',
  '"name"',
  '"categoryId"',
  '"categoryId"',
  '"status"',
  '"id"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"n\\u0061me"',
  '""',
  'name',
  '"colour"',
]

function request(dice: Dice): string[] {
  const query = dice.once(3) ? `?${dice.many(2, () => dice.pick(QUERIES)).join('&')}` : ''
  const method = dice.once(3) ? dice.pick(METHODS) : dice.pick(['GET', 'POST', 'POST'])
  const content = dice.once(method === 'POST' ? 12 : 2) ? '' : body(dice)
  return [
    method,
    ' ',
    (dice.once(3) ? dice.pick(TARGETS) : '/v1/pets') + query,
    dice.once(30) ? '  ' : ' ',
    dice.once(15) ? dice.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.1 ', 'http/1.1', '']) : 'HTTP/1.1',
    '\r\n',
    ...(dice.once(30) ? [] : ['Host: localhost\r\n']),
    ...(dice.once(10)
      ? []
      : [`Authorization: ${dice.once(2) ? dice.pick(AUTHORIZATIONS) : 'Bearer psk_enterprise'}\r\n`]),
    ...(dice.once(2) ? dice.many(3, () => `${dice.pick(HEADERS)}\r\n`) : []),
    ...framed(dice, content),
  ]
}

/** A body with the header fields for its length, which are usually correct. */
function framed(dice: Dice, content: string): string[] {
  const type =
    content === '' && dice.once(2)
      ? []
      : [`Content-Type: ${dice.once(5) ? dice.pick(MEDIA) : 'application/json'}\r\n`]
  if (dice.once(12)) return [...type, dice.pick(WRONG_FRAMES), '\r\n', content]
  if (dice.once(4)) return [...type, 'Transfer-Encoding: chunked\r\n', '\r\n', ...chunked(dice, content)]
  return content === ''
    ? [...type, '\r\n']
    : [...type, `Content-Length: ${content.length}\r\n`, '\r\n', content]
}

const WRONG_FRAMES = [
  ...[
    'Content-Length: -1\r\n',
    'Content-Length: 1e3\r\n',
    'Content-Length: 5, 5\r\n',
    'Content-Length: 5\r\nContent-Length: 6\r\n',
    'Content-Length: 99999999999999999999\r\n',
  ],
  ...[
    'Content-Length: 3\r\n',
    'Content-Length: +3\r\n',
    'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n',
    'Transfer-Encoding: gzip, chunked\r\n',
    'Transfer-Encoding: chunked, identity\r\n',
    'Transfer-Encoding: \x0bchunked\r\n',
  ],
]

function chunked(dice: Dice, content: string): string[] {
  const size = dice.once(10) ? dice.pick(['zz', '-1', 'fffffffffffffffff', '']) : content.length.toString(16)
  const extension = dice.once(6) ? dice.pick([';x', ';x=y', `;${'x'.repeat(300)}`, ' ']) : ''
  const end = dice.once(8) ? '0\r\nX-Trailer: y\r\n\r\n' : '0\r\n\r\n'
  return content === '' ? [end] : [`${size}${extension}\r\n`, content, '\r\n', end]
}

function body(dice: Dice): string {
  if (dice.once(8))
    return dice.pick([
      '{',
      '[',
      'null',
      '"x"',
      '\xef\xbb\xbf{}',
      '{"name":"a",}',
      '['.repeat(500),
      '{"a":'.repeat(200),
      ' ',
      '{}{}',
      '\xff\xfe',
      `"${'x'.repeat(20_000)}"`,
    ])
  if (dice.once(2)) return `{"name":"Kit","categoryId":${dice.once(3) ? dice.pick(VALUES) : '2'}}`
  return `{${dice.many(5, () => `${dice.pick(NAMES)}:${dice.pick(VALUES)}`).join(dice.once(20) ? ';' : ',')}}`
}

/** Removes, doubles, swaps or replaces bytes somewhere in the pieces. */
function mutate(dice: Dice, pieces: readonly string[]): string[] {
  const mutated = [...pieces]
  for (let times = 1 + dice.below(3); times > 0; times--) {
    const at = dice.below(mutated.length)
    const piece = mutated[at] ?? ''
    const cut = dice.below(piece.length + 1)
    mutated[at] = dice.pick([
      piece.slice(0, cut) + piece.slice(cut + 1),
      piece.slice(0, cut) + String.fromCharCode(dice.below(256)) + piece.slice(cut),
      piece + piece,
      '',
      piece.replace(/\r\n/g, '\n'),
      piece.replace('\r\n', '\r'),
    ])
  }
  return mutated
}
