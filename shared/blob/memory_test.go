package blob_test

import (
	"testing"

	"svc/shared/blob/blobtest"
)

func TestMemory(t *testing.T) { blobtest.Run(t, &blobtest.Memory{}) }
