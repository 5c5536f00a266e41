import { createSandbox } from 'petstore-sandbox'

// One for every route, through every reload. `control`: this server listens on localhost only (see package.json).
globalThis.petstore ??= createSandbox({ listen: false, control: true, trustForwarded: true })

export const answer = async (request) => (await globalThis.petstore).handler(request)
