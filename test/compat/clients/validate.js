import { readFileSync } from 'node:fs'
import SwaggerParser from '@apidevtools/swagger-parser'
import { compileErrors, validate } from '@readme/openapi-parser'

for (const file of process.argv.slice(2)) {
  // Both validators change their document.
  const read = () => JSON.parse(readFileSync(file, 'utf8'))
  await SwaggerParser.validate(read())
  const result = await validate(read())
  if (!result.valid) throw new Error(`${file}: ${compileErrors(result)}`)
}
