import type { Plugin } from 'rolldown'
import { configSchema } from '../src/config/schema.ts'

/** Emits the JSON Schema of the configuration file. */
export const emitConfigSchema: Plugin = {
  name: 'config-schema',
  generateBundle() {
    const source = `${JSON.stringify(configSchema(), undefined, 2)}\n`
    this.emitFile({ type: 'asset', fileName: 'config.schema.json', source })
  },
}
