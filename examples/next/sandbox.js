import { createSandbox } from 'petstore-sandbox'

// One sandbox for all routes and reloads. `control` is safe, since this server listens on localhost only (package.json).
globalThis.petstore ??= createSandbox({ listen: false, control: true, trustForwarded: true })

export const answer = async (request) => (await globalThis.petstore).handler(request)
