import { describe, expect, it, vi } from 'vitest'
import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import { resolvePolicy } from '../../../src/contract/decisions/decisions.ts'
import { effectiveDocument } from '../../../src/contract/openapi/effective-document.ts'
import { overlaidContract } from '../../../src/contract/openapi/overlay.ts'

const contract = animalStoreContract()

async function overlaid(actions: unknown, version: unknown = '1.0.0') {
  const warnings: string[] = []
  const text = JSON.stringify({ overlay: version, actions })
  const made = await overlaidContract(contract, [{ name: 'o.yaml', text }], (warning) =>
    warnings.push(warning),
  )
  return { contract: made, document: made.document, warnings }
}

describe('an update', () => {
  it('merges objects, appends to lists, and replaces everything else', async () => {
    const { document } = await overlaid([
      { target: '$', update: { 'x-a': { list: [1], deep: { a: 1, b: [1] } } } },
      { target: '$["x-a"]', update: { deep: { b: 2, c: null } } },
      { target: '$["x-a"].list', update: [2, 3] },
      { target: '$["x-a"].list', update: { four: 4 } },
      { target: '$["x-a"].deep.a', update: { not: 'a number' } },
    ])
    expect(document['x-a']).toEqual({
      list: [1, 2, 3, { four: 4 }],
      deep: { a: { not: 'a number' }, b: [1, 2], c: null },
    })
  })

  it('with several targets gives each one its own copy', async () => {
    const { document } = await overlaid([
      { target: '$', update: { 'x-a': [{}, { inner: 7 }, { inner: 8 }] } },
      { target: '$["x-a"][*]', update: { inner: { n: 1 } } },
      { target: '$["x-a"][0,1].inner', update: { n: 2 } },
    ])
    expect(document['x-a']).toEqual([{ inner: { n: 2 } }, { inner: { n: 2 } }, { inner: { n: 1 } }])
  })

  it('with several lists as targets appends a copy to each one', async () => {
    const { document } = await overlaid([
      { target: '$', update: { 'x-a': [[], []] } },
      { target: '$["x-a"][*]', update: [{ n: 1 }] },
      { target: '$["x-a"][0][0]', update: { n: 2 } },
    ])
    expect(document['x-a']).toEqual([[{ n: 2 }], [{ n: 1 }]])
  })

  it('gives each alias of YAML its own copy', () => {
    const text = `
overlay: 1.0.0
actions:
  - target: $
    update: { x-a: { one: &one { n: 1 }, two: *one } }
  - target: $["x-a"].one
    update: { n: 2 }`
    const { document } = overlaidContract(contract, [{ name: 'o.yaml', text }])
    expect(document['x-a']).toEqual({ one: { n: 2 }, two: { n: 1 } })
  })

  it('cannot change a prototype', () => {
    const text =
      '{"overlay":"1.0.0","actions":[{"target":"$","update":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}]}'
    expect(() => overlaidContract(contract, [{ name: 'o.yaml', text }])).toThrow(
      'The overlay o.yaml cannot be used: the name __proto__ cannot be used',
    )
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})

describe('several overlays', () => {
  const file = (name: string, ...actions: object[]) => ({
    name,
    text: JSON.stringify({ overlay: '1.0.0', actions }),
  })
  const first = file('a.yaml', { target: '$', update: { 'x-a': { by: 'a', only: 'a' } } })
  const second = file('b.yaml', { target: '$["x-a"]', update: { by: 'b' } })

  it('are applied in their order', () => {
    const { document } = overlaidContract(contract, [first, second])
    expect(document['x-a']).toEqual({ by: 'b', only: 'a' })
    expect(overlaidContract(contract, [second, first]).document['x-a']).toEqual({ by: 'a', only: 'a' })
  })

  it('are one text in a recording, with the same effect', () => {
    const { document, overlay = '' } = overlaidContract(contract, [first, second])
    const again = overlaidContract(contract, [{ name: 'of the recording', text: overlay }])
    expect(again.document).toEqual(document)
  })

  it('the error about its text is one line, with line and column', () => {
    expect(() => overlaidContract(contract, [{ name: 'b.yaml', text: 'info: {title: x\n' }])).toThrow(
      /^The overlay b\.yaml cannot be used: Flow map .* at line 2, column 1$/,
    )
  })

  it('one that is nested too deeply is refused', () => {
    const text = `overlay: 1.0.0\nactions: ${'['.repeat(20_000)}${']'.repeat(20_000)}`
    expect(() => overlaidContract(contract, [{ name: 'b.yaml', text }])).toThrow(
      'The overlay b.yaml cannot be used: it is nested too deeply',
    )
  })

  it('a runtime that cannot compile them is named as the reason', () => {
    vi.stubGlobal('Function', function forbidden() {
      throw new EvalError('Code generation from strings disallowed for this context')
    })
    try {
      expect(() => overlaidContract(contract, [second])).toThrow(
        'The overlay b.yaml cannot be used: overlays are compiled with new Function, which this runtime forbids',
      )
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('the error names the invalid one', () => {
    expect(() => overlaidContract(contract, [first, { name: 'b.yaml', text: '{}' }])).toThrow(
      'The overlay b.yaml cannot be used: it must begin with "overlay: 1.0.0", 1.1.0 or 1.2.0',
    )
  })
})

describe('a copy', () => {
  it('merges like an update, and gives each target its own copy', async () => {
    const { document } = await overlaid(
      [
        { target: '$', update: { 'x-a': { from: { list: [1], deep: { a: 1 } }, to: [{ list: [0] }, {}] } } },
        { target: '$["x-a"].to.*', copy: '$["x-a"].from' },
        { target: '$["x-a"].to[0].deep', update: { b: 2 } },
      ],
      '1.1.0',
    )
    expect(document['x-a']).toEqual({
      from: { list: [1], deep: { a: 1 } },
      to: [
        { list: [0, 1], deep: { a: 1, b: 2 } },
        { list: [1], deep: { a: 1 } },
      ],
    })
  })

  it('of a place into itself is finite', async () => {
    const { document } = await overlaid(
      [
        { target: '$', update: { 'x-a': { inner: { n: 1 } } } },
        { target: '$["x-a"].inner', copy: '$["x-a"]' },
      ],
      '1.1.0',
    )
    expect(document['x-a']).toEqual({ inner: { n: 1, inner: { n: 1 } } })
  })

  it('with a removal moves a value', async () => {
    const { document } = await overlaid(
      [
        { target: '$', update: { 'x-a': { b: [1] }, 'x-c': {} } },
        { target: '$["x-c"]', copy: '$["x-a"]' },
        { target: '$["x-a"]', remove: true },
      ],
      '1.1.3',
    )
    expect(document).toMatchObject({ 'x-c': { b: [1] } })
    expect(document).not.toHaveProperty('x-a')
  })

  it.each<[string, unknown[], RegExp]>([
    [
      'from no place',
      [{ target: '$.info', copy: '$.cats' }],
      /its copy \$\.cats must name one place, and it names none/,
    ],
    ['from several places', [{ target: '$.info', copy: '$.paths.*' }], /it names several/],
    ['beside an update', [{ target: '$.info', copy: '$.info', update: {} }], /needs one of update, copy/],
    ['that is not text', [{ target: '$.info', copy: 1 }], /actions\[0\]\.copy must be a JSONPath expression/],
    [
      'that grows without end',
      Array.from({ length: 40 }, () => ({ target: '$.info', copy: '$' })),
      /its copy \$ makes the document longer than 8 MiB/,
    ],
  ])('%s is refused', async (_, actions, message) => {
    await expect(overlaid(actions, '1.1.0')).rejects.toThrow(message)
  })
})

it('an action takes the fields of the reusable action that it names', async () => {
  const text = `
overlay: 1.2.0
info: { title: Errors, version: 1.0.0 }
components:
  actions:
    not/found: { fields: { update: { '404': { description: Not found } } } }
actions:
  - $ref: '#/components/actions/not~1found'
    target: $.paths['/pets'].post.responses
  - $ref: '#/components/actions/not~1found'
    target: $.paths['/pets'].get.responses
`
  const { document } = overlaidContract(contract, [{ name: 'o.yaml', text }])
  const { get, post } = document.paths['/pets'] ?? {}
  for (const operation of [get, post])
    expect(operation?.responses).toHaveProperty('404', { description: 'Not found' })
  const wrong = text.replaceAll('actions/not~1', 'actions/none')
  expect(() => overlaidContract(contract, [{ name: 'o.yaml', text: wrong }])).toThrow(
    'actions[0].$ref: there is no #/components/actions/nonefound',
  )
})

it('a removal from a list removes the selected items', async () => {
  const { document } = await overlaid([
    { target: '$', update: { 'x-a': [1, 2, 3, 4, 5] } },
    { target: '$["x-a"][?@ < 4]', remove: true },
  ])
  expect(document['x-a']).toEqual([4, 5])
})

it('an action without matches changes nothing and warns', async () => {
  const { document, warnings } = await overlaid([{ target: '$.paths["/cats"]', update: { get: {} } }])
  expect(document).toEqual(contract.document)
  expect(warnings).toEqual([
    'The overlay o.yaml changes nothing at $.paths["/cats"]: there is no such place. Correct its target.',
  ])
})

it.each([
  { status: { nullable: true } },
  { kind: { type: 'string', enum: ['a'], nullable: true } },
  { any: { nullable: true } },
  { next: { $ref: '#/components/schemas/PetStatus', nullable: true } },
])('nullable that would be without effect is refused: %j', async (update) => {
  const actions = [{ target: '$.components.schemas.NewPet.properties', update }]
  await expect(overlaid(actions)).rejects.toThrow(
    /o\.yaml cannot be used: nullable needs a type beside it, and null in the enum if there is one: \{.*"nullable":true/,
  )
})

it('nullable beside a reference keeps the anyOf beside it', async () => {
  const owner = {
    $ref: '#/components/schemas/Owner',
    anyOf: [{ required: ['mail'] }, { required: ['phone'] }],
  }
  const { contract: overlaidOne } = await overlaid([
    { target: '$.components.schemas', update: { Owner: { type: 'object' } } },
    {
      target: '$.components.schemas.NewPet.properties',
      update: { owner: { ...owner, nullable: true } },
    },
  ])
  const isValid = (value: unknown) =>
    overlaidOne.newPet.validate({ name: 'Kit', categoryId: 2, owner: value } as never)
  expect([null, { mail: 'a' }, { phone: 1 }, {}].map(isValid)).toEqual([true, true, true, false])
})

it('nullable beside a reference is that of its target', async () => {
  const { contract: overlaidOne } = await overlaid([
    { target: '$.components.schemas', update: { Owner: { type: 'object' } } },
    {
      target: '$.components.schemas.NewPet.properties',
      update: { owner: { $ref: '#/components/schemas/Owner', nullable: true } },
    },
  ])
  const { body } = overlaidOne.resolve('POST', '/pets').operation ?? {}
  expect(body?.validate({ name: 'Kit', categoryId: 2, owner: null })).toBe(true)
})

// Readers of OpenAPI 3.1, such as generators of clients, ignore nullable.
it.each([
  [
    { type: 'string', nullable: true, format: 'date' },
    { type: ['string', 'null'], format: 'date' },
  ],
  [{ type: ['string', 'null'], nullable: true }, { type: ['string', 'null'] }],
  [{ type: 'string', nullable: false }, { type: 'string' }],
  [{ type: 'array', items: { type: 'integer', nullable: true } }, { items: { type: ['integer', 'null'] } }],
  [{ type: 'object', properties: { nullable: { type: 'boolean' } } }, { properties: { nullable: {} } }],
  [
    { $ref: '#/components/schemas/Error', description: 'The last one', nullable: true },
    { description: 'The last one', anyOf: [{ $ref: '#/components/schemas/Error' }, { type: 'null' }] },
  ],
])('the document has the type null in place of nullable: %j', async (schema, served) => {
  const { document } = await overlaid([
    { target: '$.components.schemas.Pet.properties', update: { extra: schema } },
  ])
  expect(document.components?.schemas?.Pet?.properties?.extra).toMatchObject(served)
  expect(JSON.stringify(document)).not.toMatch(/"nullable":(true|false)/)
})

it.each([
  ['responses', { default: { $ref: '#/components/responses/Gone' } }],
  ['responses["200"]', { headers: { 'x-total': { $ref: '#/components/headers/Gone' } } }],
])('a reference without a target in %s is refused, whatever its name', async (place, update) => {
  const actions = [{ target: `$.paths["/pets"].get.${place}`, update }]
  await expect(overlaid(actions)).rejects.toThrow(/#\/components\/\w+\/Gone has no target/)
})

it('the same overlays are applied once, and warn each time', () => {
  const actions = [{ target: '$.paths["/cats"]', update: { get: {} } }]
  const text = JSON.stringify({ overlay: '1.0.0', actions })
  const results = Array.from({ length: 2 }, () => {
    const warnings: string[] = []
    const of = overlaidContract(contract, [{ name: 'cats.yaml', text }], (each) => warnings.push(each))
    return { of, warnings }
  })
  expect(results[1]?.of).toBe(results[0]?.of)
  expect(results.map(({ warnings }) => warnings.length)).toEqual([1, 1])
  const named = overlaidContract(contract, [{ name: 'dogs.yaml', text }])
  expect(named).not.toBe(results[0]?.of)
})

it('the original contract is not changed', async () => {
  const before = JSON.stringify(contract.document)
  await overlaid([{ target: '$.components.schemas.Pet.properties', update: { tags: { type: 'array' } } }])
  expect(JSON.stringify(contract.document)).toBe(before)
})

const operation = (members: object) => [
  {
    target: '$.paths["/pets/{petId}"]',
    update: { patch: { operationId: 'patchPet', responses: {}, ...members } },
  },
]

it.each<[string, unknown, RegExp]>([
  ['no actions', [], /needs a list of actions/],
  ['no target', [{ update: {} }], /actions\[0\]\.target must be a JSONPath expression/],
  ['nothing to do', [{ target: '$' }], /actions\[0\] needs one of update, copy, or remove: true/],
  ['null as an action', [null], /actions\[0\]\.target/],
  ['a target that is not JSONPath', [{ target: '$[', update: {} }], /used: its place \$\[ is not JSONPath: /],
  ['everything removed', [{ target: '$', remove: true }], /the whole document cannot be removed/],
  ['each member removed', [{ target: '$.*', remove: true }], /it removes paths, which the interface has/],
  ['an operation removed', [{ target: '$.paths["/pets"].post', remove: true }], /it removes createPet/],
  [
    'no operationId',
    operation({ operationId: 7 }),
    /pets\/\{petId\}"\]\.patch\.operationId must be a string/,
  ],
  ['an operationId twice', operation({ operationId: 'getPet' }), /the operationId getPet is used twice/],
  ['no responses', operation({ responses: null }), /patch\.responses must be an object/],
  [
    'an unknown change',
    operation({ 'x-sandbox': 'upsert' }),
    /"upsert", which is not valid; use update, replace, delete/,
  ],
  [
    'a schema that does not compile',
    operation({ requestBody: { content: { 'application/json': { schema: { type: 'pet' } } } } }),
    /cannot be used: paths\[.*\.schema\.type must be one of array, boolean, /,
  ],
])('%s is refused', async (_, actions, message) => {
  await expect(overlaid(actions)).rejects.toThrow(message)
})

describe('references', () => {
  const schemas = (components: object) => overlaid([{ target: '$.components.schemas', update: components }])
  const twice = (name: string) => [
    { $ref: `#/components/schemas/${name}` },
    { $ref: `#/components/schemas/${name}` },
  ]

  it('that expand too much are refused', async () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`X${i}`, { allOf: twice(`X${i + 1}`) }]),
    )
    await expect(schemas({ ...doubling, X40: {}, Pet: { allOf: twice('X0') } })).rejects.toThrow(
      'its references lead to more than 10,000 schemas',
    )
  })

  it.each([
    ['in a circle', '#/components/schemas/A', 'refers to itself'],
    ['to nothing', '#/components/schemas/Nothing', 'has no target'],
  ])('%s are refused', async (_, $ref, message) => {
    await expect(schemas({ A: { $ref }, NewPet: { properties: { a: { $ref } } } })).rejects.toThrow(message)
  })
})

it.each([
  ['paths["/pets"]', null, 'paths["/pets"] must be an object'],
  ['paths["/pets"].get.parameters', 5, 'paths["/pets"].get.parameters'],
  [
    'paths["/pets"].get.parameters[0]',
    { $ref: '#/info' },
    'paths["/pets"].get.parameters[0].name is required',
  ],
  ['components.schemas.Pet', null, 'components.schemas.Pet must be an object'],
  ['components.schemas.Pet.properties', null, 'components.schemas.Pet.properties must be an object'],
  ['components.responses', { BadRequest: null }, 'components.responses.BadRequest must be an object'],
  ['components.schemas.Pet.properties.name', { pattern: '(' }, 'Invalid regular expression: /(/'],
  ['components.schemas.Pet.properties.id', { type: 'string' }, 'the id of a pet must be of the type integer'],
  [
    'paths.cats',
    { get: { operationId: 'listCats', responses: {} } },
    'the path cats of listCats must begin with /',
  ],
])('%s with %j is refused, and named', async (place, value, message) => {
  const [, parent, last] = /^(.*)(?:\.|(?=\[))(.*?)$/.exec(place) ?? []
  const name = last?.replace(/^\["?|"?\]$/g, '') ?? ''
  const isIndex = /^\d+$/.test(name)
  const actions = isIndex
    ? [{ target: `$.${place}`, update: value }]
    : [{ target: `$.${parent}`, update: { [name]: value } }]
  await expect(overlaid(actions)).rejects.toThrow(message)
})

it.each([
  ...['/reports/{id}.pdf', '/files/v{ver}', '/range/{a}-{b}', '/pets/{}', '/pets/{petId', '/{a}{b}'].map(
    (path) => [path, 'is not valid: a parameter in braces must be all of a segment, as in /pets/{petId}'],
  ),
  ['/pets/{id}', 'is the same as /pets/{petId}; add its operations to that one'],
])('the path %s %s', async (path, message) => {
  const update = { [path]: { get: { operationId: 'x', responses: {} } } }
  await expect(overlaid([{ target: '$.paths', update }])).rejects.toThrow(`the path ${path} ${message}`)
})

it('a body schema without fields is restricted like any other', async () => {
  const at = '$.paths["/pets"].post.requestBody.content["application/json"].schema'
  const { document } = await overlaid([{ target: `${at}["$ref"]`, remove: true }])
  const policy = resolvePolicy({ 'create.blankName': 'reject', 'create.status': 'sold' })
  const effective = effectiveDocument(document, policy, { removed: false, baseUrl: '/v1' })
  expect(JSON.stringify(effective.paths['/pets']?.post?.requestBody)).toContain('"default":"sold"')
})

it('x-sandbox is for methods that change, at the path of a pet', async () => {
  const at = (path: string, method: string) => [
    {
      target: `$.paths["${path}"]`,
      update: { [method]: { operationId: 'x', responses: {}, 'x-sandbox': 'delete' } },
    },
  ]
  await expect(overlaid(at('/pets', 'delete'))).rejects.toThrow('not to DELETE /pets')
  await expect(overlaid(at('/pets/{petId}', 'post'))).resolves.toBeDefined()
})

it.each([null, '1.3.0', 1, '1.0', '11.0.0'])('the version %s is refused', async (version) => {
  await expect(overlaid([{ target: '$', update: {} }], version)).rejects.toThrow(
    'it must begin with "overlay: 1.0.0", 1.1.0 or 1.2.0',
  )
})

describe('an overlay of a recording', () => {
  const overlay = (action: object) => ({
    name: 'of the recording',
    text: JSON.stringify({ overlay: '1.1.0', actions: [action] }),
  })
  const PATTERNS = '$.components.schemas.NewPet.properties.name'

  it.each<[string, object]>([
    ['a pattern', { target: PATTERNS, update: { pattern: '^(a+)+$' } }],
    ['the name of a member', { target: PATTERNS, update: { patternProperties: { '^(a+)+$': {} } } }],
    ['a target that matches', { target: "$..[?search(@.description, '(a+)+$')]", update: {} }],
    ['a copy that multiplies', { target: '$.info', copy: '$..*..*..*..*' }],
    ['a target that multiplies', { target: '$..*..*..*..*', update: {} }],
  ])('is refused if it may take very long: %s', (_, action) => {
    expect(() => overlaidContract(contract, [{ ...overlay(action), isForeign: true }])).toThrow(
      /^The overlay of the recording cannot be used: its (?:pattern|place) .* may take very long; /,
    )
  })

  it('may have linear patterns only; an overlay of the user may have slow ones', () => {
    const own = overlay({ target: PATTERNS, update: { pattern: '^(a+)+$' } })
    expect(overlaidContract(contract, [own]).overlay).toBe(own.text)
    const linear = overlay({ target: PATTERNS, update: { pattern: '^[a-z]+$' } })
    expect(overlaidContract(contract, [{ ...linear, isForeign: true }]).overlay).toBe(linear.text)
  })
})

it('the YAML parser writes no warning of its own to stderr', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const text = 'overlay: 1.0.0\nactions: [{ target: $.info, update: { title: !short Pets } }]'
  const { document } = overlaidContract(contract, [{ name: 'o.yaml', text }])
  expect([document.info.title, warn.mock.calls]).toEqual(['Pets', []])
  warn.mockRestore()
})
