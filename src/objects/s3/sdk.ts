import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'

/** What docsearch uses of the AWS SDK. The build bundles this file with the SDK, and `open.ts` loads it only for an object store. */
export const sdk = {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
}

export type Sdk = typeof sdk
