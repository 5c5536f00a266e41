import manifest from '../../package.json' with { type: 'json' }

/** The version of petstore-sandbox. */
export const VERSION: string = manifest.version
