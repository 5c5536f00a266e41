import SwaggerParser from '@apidevtools/swagger-parser'
import { compileErrors, validate } from '@readme/openapi-parser'

// Both change the document that they are given.
const fetched = async () => (await fetch(process.argv[2])).json()

await SwaggerParser.validate(await fetched())
const result = await validate(await fetched())
if (!result.valid) throw new Error(compileErrors(result))
