package secret

import "testing"

// In a command, what stands where a secret does is one, whatever it looks like; a reference to one is not.
func TestCleanCommand(t *testing.T) {
	for command, want := range map[string]string{
		"mysql -u root -phunter22 shop":                       "mysql -u root -p[secret: password] shop",
		"docker login -u me --password s3cr3tpass":            "docker login -u me --password [secret: password]",
		"docker login -u me --password-stdin":                 "docker login -u me --password-stdin",
		"gh auth login --with-token=abcd1234efgh":             "gh auth login --with-token=[secret: password]",
		"sshpass -p Tr0ub4dor ssh ada@host":                   "sshpass -p [secret: password] ssh ada@host",
		"STRIPE_SECRET=q9wz7Lx2mRt5 go test ./...":            "STRIPE_SECRET=[secret: password] go test ./...",
		"export GITHUB_TOKEN='abc123def456ghi'; make":         "export GITHUB_TOKEN='[secret: password]'; make",
		"GITHUB_TOKEN=$(pass gh) make":                        "GITHUB_TOKEN=$(pass gh) make",
		"deploy --token $TOKEN":                               "deploy --token $TOKEN",
		"curl -H 'X-Api-Key: 9a8b7c6d5e4f' https://x.example": "curl -H 'X-Api-Key: [secret: password]' https://x.example",
		`docker login --password "my pass'word 9" reg`:        `docker login --password "[secret: password]" reg`,
		`export DB_PASSWORD='a "b c'; make`:                   `export DB_PASSWORD='[secret: password]'; make`,
		`deploy --token "abc def`:                             `deploy --token "[secret: password] def`,
		"go test -run TestToken ./auth":                       "go test -run TestToken ./auth",
		"tar -pxf a.tar && mkdir -p a/b":                      "tar -pxf a.tar && mkdir -p a/b",
		"grep -rn password= src":                              "grep -rn password= src",
	} {
		var c Cleaner
		if got := c.CleanCommand(command); got != want {
			t.Errorf("%s\nis %s\nnot %s", command, got, want)
		}
	}
}
