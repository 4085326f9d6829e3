package conf

// Bytes is an amount of memory; in text "100", "64Ki", "1Gi".
type Bytes int64

// UnmarshalText reads what ParseSize does.
func (b *Bytes) UnmarshalText(text []byte) error {
	n, err := ParseSize(string(text))
	if err == nil {
		*b = Bytes(n)
	}
	return err
}

// MarshalText writes the amount as short as is exact.
func (b Bytes) MarshalText() ([]byte, error) {
	return []byte(FormatSize(int64(b))), nil
}
